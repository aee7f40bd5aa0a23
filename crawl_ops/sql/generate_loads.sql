-- What stays together in one list: URLs, hosts, and the seconds that the politest host takes.
WITH hosts AS (
    SELECT host, any_value(domain) AS domain, count(*) AS urls
    FROM selected
    GROUP BY host
)
SELECT
    if($by_domain, hosts.domain, hosts.host)                                      AS key,
    sum(urls)::BIGINT                                                             AS urls,
    count(*)                                                                      AS hosts,
    sum(urls * (greatest(coalesce(hostdb.crawl_delay_s, 0), $delay) + 0.1))::DOUBLE AS expected_s
FROM hosts LEFT JOIN hostdb ON hostdb.host = hosts.host
GROUP BY ALL
ORDER BY key
