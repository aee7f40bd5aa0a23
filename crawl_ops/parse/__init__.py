"""From bytes to title, text, outlinks and metadata."""
