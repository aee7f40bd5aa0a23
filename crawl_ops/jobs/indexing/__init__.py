"""The parts of the index job: what to do with each page, and documents."""
