-- Pages of no segment say nothing of themselves.
SELECT k, NULL::VARCHAR AS canonical_url, false AS noindex FROM pages WHERE segment IS NULL
