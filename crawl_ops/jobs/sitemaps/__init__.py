"""Getting sitemaps, for the job of that name."""
