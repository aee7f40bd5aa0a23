-- What a segment says of a host: a failure is the host's (5xx, timeout, DNS), not a missing page.
WITH answers AS (
    SELECT
        host, domain, slot, url, fetch_time, response_ms,
        coalesce(reason, protocol_status)                                     AS reason,
        fetch_status NOT IN ('fetch_retry', 'fetch_gone')                     AS good,
        fetch_status = 'fetch_retry'                                          AS failed
    FROM crawl_fetch
    WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
    UNION ALL
    SELECT
        host, NULL, slot, origin, fetch_time, NULL,
        coalesce(reason, 'robots.txt: ' || http_status), false, true
    FROM robots
    WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT AND outcome = 'deferred'
),
good AS (
    SELECT
        answers.host,
        greatest(max(answers.fetch_time) FILTER (good), max(hostdb.last_good_time)) AS last_good_time
    FROM answers LEFT JOIN hostdb USING (host)
    GROUP BY answers.host
)
SELECT
    host,
    any_value(domain)                                                         AS domain,
    any_value(slot)                                                           AS slot,
    max(fetch_time) FILTER (good)                                             AS good_time,
    max(good.last_good_time)                                                  AS last_good_time,
    max(fetch_time)                                                           AS last_fetch_time,
    count(*) FILTER (
        failed AND coalesce(fetch_time > good.last_good_time, true)
    )                                                                         AS failed_fetches,
    arg_max(reason, {'time': fetch_time, 'url': url}) FILTER (failed)         AS last_reason,
    ((2 * sum(response_ms) + count(response_ms)) // nullif(2 * count(response_ms), 0))::INTEGER AS response_ms
FROM answers JOIN good USING (host)
GROUP BY host
