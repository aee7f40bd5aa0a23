-- The hosts of a bucket's seeds in runs of so many seeds: the last host of each.
SELECT max(host) AS last
FROM (
    SELECT host, sum(count(*)) OVER (ORDER BY host) // $rows AS run
    FROM share
    GROUP BY host
)
GROUP BY run
ORDER BY run
