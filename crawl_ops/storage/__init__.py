"""The crawl folder: versioned tables, segments, the DuckDB session."""
