"""The parts of the parse job: outlinks and rows."""
