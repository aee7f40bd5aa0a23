-- The URLs of a bucket that may be selected.
SELECT k, slot, sort_value, host, domain, row, NULL::BIGINT AS place
FROM (
    SELECT k, slot, sort_value, host, if($lists_by_domain, domain, NULL) AS domain, row
    FROM (
        SELECT
            *,
            sort_value_of(score, depth, max_depth, $rules)                       AS sort_value,
            outcome_of(k, fetch_time, status, sort_value, interval_s, $rules)    AS outcome
        FROM crawldb
        WHERE score >= $least::FLOAT  -- as far as a Parquet reader understands the cut
    )
    WHERE outcome = 'candidate' AND sort_value >= $lowest::FLOAT
)
-- A redo follows the links of the depth before.
WHERE $everywhere OR k IN (SELECT k FROM led_to)
