-- Pages of no segment say nothing of themselves.
SELECT k, NULL::VARCHAR AS canonical_url FROM pages WHERE segment IS NULL
