-- One of so many candidates of a bucket by sort value, with the lowest value of each bin.
SELECT bin_of(sort_value) AS bin, count(*) AS n, min(sort_value) AS lowest, count(*) AS squares
FROM (
    SELECT
        sort_value_of(score, depth, max_depth, $rules)                       AS sort_value,
        outcome_of(k, fetch_time, status, sort_value, interval_s, $rules)    AS outcome
    FROM crawldb
    WHERE k % $one_of::UBIGINT = 0::UBIGINT
)
WHERE outcome = 'candidate'
GROUP BY bin
