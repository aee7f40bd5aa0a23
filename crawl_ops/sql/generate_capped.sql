-- The candidates of a bucket, so many of a host or domain (generate.max.count); more, if the last
-- of these have one sort value.
SELECT k, slot, sort_value, host, domain, if($by_domain, domain, host) AS key
FROM (
    SELECT k, slot, sort_value, host, if($by_domain OR $lists_by_domain, domain, NULL) AS domain
    FROM (
        SELECT
            *,
            sort_value_of(score, depth, max_depth, $rules)                       AS sort_value,
            outcome_of(
                k IN (SELECT k FROM strange), k IN (SELECT k FROM marked), k IN (SELECT k FROM refused),
                fetch_time, status, sort_value, interval_s, $rules
            )                                                                    AS outcome
        FROM crawldb
        WHERE score >= $least::FLOAT  -- as far as a Parquet reader understands the cut
    )
    WHERE outcome = 'candidate' AND sort_value >= $lowest::FLOAT
)
QUALIFY rank() OVER (PARTITION BY key ORDER BY sort_value DESC) <= $max_count
