-- The candidates of a bucket, so many of a host or domain (generate.max.count).
SELECT k, slot, sort_value, host, domain, row, place
FROM (
    SELECT
        k,
        slot,
        sort_value,
        host,
        if($lists_by_domain, domain, NULL) AS domain,
        row,
        row_number() OVER (
            PARTITION BY if($by_domain, domain, host) ORDER BY sort_value DESC, tie
        )                                  AS place
    FROM (
        SELECT
            *,
            sort_value_of(score, depth, max_depth, $rules)                       AS sort_value,
            outcome_of(k, fetch_time, status, sort_value, interval_s, $rules)    AS outcome
        FROM crawldb
        WHERE score >= $least::FLOAT  -- as far as a Parquet reader understands the cut
    )
    WHERE outcome = 'candidate' AND sort_value >= $lowest::FLOAT
    QUALIFY place <= $max_count
)
-- A redo follows the links of the depth before.
WHERE $everywhere OR k IN (SELECT k FROM led_to)
