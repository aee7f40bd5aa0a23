"""The parts of the inject job: seed lines and their fields."""
