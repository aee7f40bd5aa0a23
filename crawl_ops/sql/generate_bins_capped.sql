-- What the limit leaves of one of so many hosts or domains of a bucket, by sort value, with the
-- lowest value of each bin. squares: by how much the sum of the squares of what hosts have grows.
SELECT
    bin_of(sort_value)            AS bin,
    count(*)                      AS n,
    min(sort_value)               AS lowest,
    sum(2 * place - 1)::BIGINT    AS squares
FROM (
    SELECT sort_value, row_number() OVER (PARTITION BY key ORDER BY sort_value DESC) AS place
    FROM (
        SELECT
            if($by_domain, domain, host)                                         AS key,
            sort_value_of(score, depth, max_depth, $rules)                       AS sort_value,
            outcome_of(k, fetch_time, status, sort_value, interval_s, $rules)    AS outcome
        FROM crawldb
        WHERE hash(if($by_domain, domain, host)) % $one_of::UBIGINT = 0::UBIGINT
    )
    WHERE outcome = 'candidate'
)
WHERE place <= $max_count
GROUP BY bin
