"""The parts of the warc job: pages out of segments, records for a file."""
