-- The buckets that a segment changes: slot ranges of 2 ** $shift slots.
SELECT DISTINCT slot >> $shift AS bucket FROM (
    SELECT slot FROM crawl_fetch
    UNION ALL
    SELECT slot FROM crawl_parse
    UNION ALL
    SELECT slot FROM crawldb
    WHERE ($purge_404 AND status = 'db_gone') OR ($purge_orphans AND status = 'db_orphan')
)
ORDER BY bucket
