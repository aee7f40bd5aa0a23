-- A bucket of the linkdb with new links, none of whose targets has too many.
SELECT * FROM united ORDER BY k, from_url, anchor
