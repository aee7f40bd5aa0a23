-- URLs of a host by status.
SELECT
    host,
    any_value(domain)                                         AS domain,
    any_value(slot)                                           AS slot,
    count(*) FILTER (status = 'db_unfetched')                 AS unfetched,
    count(*) FILTER (status = 'db_fetched')                   AS fetched,
    count(*) FILTER (status = 'db_notmodified')               AS notmodified,
    count(*) FILTER (status = 'db_redir_temp')                AS redir_temp,
    count(*) FILTER (status = 'db_redir_perm')                AS redir_perm,
    count(*) FILTER (status = 'db_gone')                      AS gone,
    count(*) FILTER (status = 'db_duplicate')                 AS duplicate,
    count(*) FILTER (status = 'db_orphan')                    AS orphan,
    count(*) FILTER (status = 'db_parse_failed')              AS parse_failed,
    count(*) FILTER (retries > 0)                             AS failing
FROM crawldb
WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
GROUP BY host
