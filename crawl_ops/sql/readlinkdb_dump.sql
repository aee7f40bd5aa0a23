-- Every link.
SELECT to_url AS url, from_url, anchor FROM linkdb ORDER BY k, from_url, anchor
