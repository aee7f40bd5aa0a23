"""The parts of explain: what is recorded of a URL, and what it means."""
