-- The rows of hosts that a segment says something of, or whose URLs it has changed.
WITH merged AS (
    SELECT
        old,
        counted,
        asked,
        seen,
        -- A host that has lost its URLs to a purge counts none; any other was not looked at.
        counted.host IS NULL AND NOT $all_counted                       AS kept,
        seen.host IS NOT NULL AND coalesce(seen.fetch_time >= old.robots_time, true) AS anew
    FROM met AS old
    FULL JOIN counted ON counted.host = old.host
    FULL JOIN asked ON asked.host = coalesce(old.host, counted.host)
    LEFT JOIN robots_seen AS seen ON seen.host = coalesce(old.host, counted.host, asked.host)
    WHERE coalesce(old.domain, counted.domain, asked.domain) IS NOT NULL
)
SELECT
    coalesce(old.host, counted.host, asked.host)                        AS host,
    coalesce(old.domain, counted.domain, asked.domain)                  AS domain,
    coalesce(old.slot, counted.slot, asked.slot)                        AS slot,
    coalesce(if(kept, old.unfetched, counted.unfetched), 0)             AS unfetched,
    coalesce(if(kept, old.fetched, counted.fetched), 0)                 AS fetched,
    coalesce(if(kept, old.notmodified, counted.notmodified), 0)         AS notmodified,
    coalesce(if(kept, old.redir_temp, counted.redir_temp), 0)           AS redir_temp,
    coalesce(if(kept, old.redir_perm, counted.redir_perm), 0)           AS redir_perm,
    coalesce(if(kept, old.gone, counted.gone), 0)                       AS gone,
    coalesce(if(kept, old.duplicate, counted.duplicate), 0)             AS duplicate,
    coalesce(if(kept, old.orphan, counted.orphan), 0)                   AS orphan,
    coalesce(if(kept, old.parse_failed, counted.parse_failed), 0)       AS parse_failed,
    coalesce(if(kept, old.failing, counted.failing), 0)                 AS failing,
    coalesce(asked.failed_fetches, 0) + if(
        coalesce(asked.good_time > old.last_good_time, asked.good_time IS NOT NULL),
        0,
        coalesce(old.failed_fetches, 0)
    )                                                                   AS failed_fetches,
    coalesce(asked.last_good_time, old.last_good_time)                  AS last_good_time,
    greatest(asked.last_fetch_time, old.last_fetch_time)                AS last_fetch_time,
    coalesce(asked.last_reason, old.last_reason)                        AS last_reason,
    coalesce(asked.response_ms, old.response_ms)                        AS response_ms,
    if(anew, seen.origin, old.robots_origin)                            AS robots_origin,
    if(anew, seen.fetch_time, old.robots_time)                          AS robots_time,
    if(anew, seen.outcome, old.robots_outcome)                          AS robots_outcome,
    if(anew, seen.content, old.robots_content)                          AS robots_content,
    if(anew, seen.crawl_delay_s, old.crawl_delay_s)                     AS crawl_delay_s
FROM merged
ORDER BY host
