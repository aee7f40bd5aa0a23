"""The parts of the fetch job: items, engine, redirects, sitemaps, rows, writers."""
