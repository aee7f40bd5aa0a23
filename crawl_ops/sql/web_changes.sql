-- What segments found, by day: pages that are new, changed, the same, gone, and the rest.
SELECT
    strftime(asked.fetch_time, '%Y-%m-%d')  AS day,
    CASE
        WHEN asked.fetch_status = 'fetch_notmodified' THEN 'same'
        WHEN asked.fetch_status = 'fetch_gone' THEN 'gone'
        WHEN asked.fetch_status LIKE 'fetch_redir_%' THEN 'redirect'
        WHEN asked.fetch_status <> 'fetch_success' THEN 'failed'
        WHEN asked.signature IS NULL THEN 'new'
        WHEN page.signature = asked.signature THEN 'same'
        ELSE 'changed'
    END                                     AS change,
    count(*)                                AS pages
FROM crawl_fetch asked
LEFT JOIN parse_data page USING (segment, k, attempt)
GROUP BY ALL
ORDER BY ALL
