-- By how much a bucket changes the URLs of hosts by status.
WITH shift AS (
    SELECT host, domain, slot, status, retries > 0 AS failing, 1 AS n FROM outcome
    UNION ALL
    SELECT outcome.host, outcome.domain, outcome.slot, past.status, past.retries > 0, -1
    FROM past JOIN outcome USING (k)
    UNION ALL
    SELECT host, domain, slot, 'db_unfetched', false, 1 FROM named WHERE $additions_allowed
)
SELECT
    host,
    any_value(domain)                                              AS domain,
    any_value(slot)                                                AS slot,
    coalesce(sum(n) FILTER (status = 'db_unfetched'), 0)           AS unfetched,
    coalesce(sum(n) FILTER (status = 'db_fetched'), 0)             AS fetched,
    coalesce(sum(n) FILTER (status = 'db_notmodified'), 0)         AS notmodified,
    coalesce(sum(n) FILTER (status = 'db_redir_temp'), 0)          AS redir_temp,
    coalesce(sum(n) FILTER (status = 'db_redir_perm'), 0)          AS redir_perm,
    coalesce(sum(n) FILTER (status = 'db_gone'), 0)                AS gone,
    coalesce(sum(n) FILTER (status = 'db_duplicate'), 0)           AS duplicate,
    coalesce(sum(n) FILTER (status = 'db_orphan'), 0)              AS orphan,
    coalesce(sum(n) FILTER (status = 'db_parse_failed'), 0)        AS parse_failed,
    coalesce(sum(n) FILTER (failing), 0)                           AS failing
FROM shift
GROUP BY host
