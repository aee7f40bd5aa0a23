-- What the pages of each segment say of a URL, by kind of link.
SELECT
    segment,
    kind,
    count(*)                                                 AS n,
    min(from_url)                                            AS from_url,
    arg_min(anchor, {'from_url': from_url, 'at': position})  AS anchor
FROM crawl_parse SEMI JOIN wanted USING (k, slot)
GROUP BY segment, kind
ORDER BY segment, kind
