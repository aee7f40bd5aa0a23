"""The parts of the mergesegs job: which segments may be merged."""
