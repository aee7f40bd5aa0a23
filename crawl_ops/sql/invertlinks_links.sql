-- The links of a segment to the slots of a bucket, as the linkdb has them; some twice.
SELECT
    k,
    slot,
    to_url,
    from_k,
    from_url,
    from_host,
    left(coalesce(anchor, ''), $max_anchor) AS anchor,
    $segment                                AS first_segment,
    $segment                                AS last_segment
FROM crawl_parse
WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
    AND kind IN ('link', 'feed')
    AND NOT ($ignore_internal AND to_host = from_host)
    AND NOT ($ignore_external AND to_host <> from_host)
