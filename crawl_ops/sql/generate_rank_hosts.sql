-- The hosts of a list with so many URLs or more, in runs of some: the last of each, and its size.
SELECT max(host) AS last, count(*) AS n
FROM (
    SELECT host, (row_number() OVER (ORDER BY host) - 1) // $rows AS run
    FROM emitted
    WHERE list = $list AND rank_in_host = $rank
)
GROUP BY run
ORDER BY run
