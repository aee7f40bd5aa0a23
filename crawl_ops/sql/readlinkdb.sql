-- The links to one URL.
SELECT from_url AS url, anchor FROM linkdb WHERE k = $k::UBIGINT ORDER BY from_url, anchor
