-- Every selected URL with its list and position: hosts interleaved, best URLs of each host first.
WITH ranked AS (
    SELECT
        k,
        host,
        list,
        row_number() OVER (PARTITION BY host ORDER BY sort_value DESC, url) AS rank_in_host
    FROM selected JOIN host_lists ON host_lists.key = if($by_domain, selected.domain, selected.host)
)
SELECT
    k,
    list,
    row_number() OVER (PARTITION BY list ORDER BY rank_in_host, host) - 1 AS position
FROM ranked
