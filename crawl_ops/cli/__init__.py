"""The command line: every job and question as a verb of crawl-ops."""
