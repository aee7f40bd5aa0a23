-- Hosts whose name contains $part, the $most first of them by $order from $offset on.
SELECT
    host,
    fetched + notmodified                       AS fetched,
    unfetched,
    redir_temp + redir_perm                     AS redirects,
    gone,
    duplicate,
    failing,
    response_ms,
    crawl_delay_s,
    robots_outcome                              AS robots,
    last_fetch_time,
    last_good_time,
    last_reason,
    count(*) OVER ()                            AS total
FROM hostdb
WHERE contains(host, $part)
ORDER BY
    CASE $order
        WHEN 'fetched' THEN fetched + notmodified
        WHEN 'unfetched' THEN unfetched
        WHEN 'redirects' THEN redir_temp + redir_perm
        WHEN 'gone' THEN gone
        WHEN 'duplicate' THEN duplicate
        WHEN 'failing' THEN failing
        WHEN 'response_ms' THEN response_ms
        ELSE 0
    END DESC NULLS LAST,
    host
LIMIT $most OFFSET $offset
