"""URL filters that come with crawl_ops: each says why it refuses a URL, or nothing."""
