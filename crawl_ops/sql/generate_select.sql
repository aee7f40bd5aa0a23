-- The URLs to fetch: highest sort values first, then by URL.
SELECT k, slot, url, host, domain, sort_value
FROM candidates
ORDER BY sort_value DESC, url
LIMIT $topn
