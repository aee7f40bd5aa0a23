"""Properties under Nutch's names, as frozen models."""
