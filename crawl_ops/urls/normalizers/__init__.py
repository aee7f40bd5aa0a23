"""URL normalizers that come with crawl_ops: one rewriting of a URL each."""
