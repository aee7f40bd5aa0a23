"""The jobs of a crawl, one function a file."""
