-- What stays together in one list: URLs, hosts, and the seconds that the politest host takes.
WITH hosts AS (
    SELECT host, any_value(domain) AS domain, count(*) AS urls
    FROM selected
    GROUP BY host
),
loads AS (
    SELECT
        hosts.*,
        urls * (greatest(coalesce(hostdb.crawl_delay_s, 0), $delay) + 0.1) AS seconds
    FROM hosts LEFT JOIN hostdb ON hostdb.host = hosts.host
)
SELECT
    if($by_domain, domain, host)                                      AS key,
    sum(urls)::BIGINT                                                 AS urls,
    count(*)                                                          AS hosts,
    -- Whole numbers: of fractions the sum would depend on their order.
    if(count(*) = 1, any_value(seconds), sum((seconds * 1e6)::BIGINT) / 1e6)::DOUBLE AS expected_s
FROM loads
GROUP BY ALL
ORDER BY expected_s DESC, urls DESC, key
