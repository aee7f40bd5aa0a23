-- How many URLs of a bucket have which outcome: by host or domain, and candidates by sort value.
SELECT outcome, key, bin, grouping(key) = 0 AS by_key, count(*) AS n, min(sort_value) AS lowest
FROM (
    SELECT
        outcome,
        CASE WHEN outcome <> 'candidate' THEN '' WHEN $by_domain THEN domain ELSE host END AS key,
        if(outcome = 'candidate', bin_of(sort_value), NULL)                              AS bin,
        sort_value
    FROM (
        SELECT
            *,
            sort_value_of(score, depth, max_depth, $rules)                       AS sort_value,
            outcome_of(
                k IN (SELECT k FROM strange), k IN (SELECT k FROM marked), k IN (SELECT k FROM refused),
                fetch_time, status, sort_value, interval_s, $rules
            )                                                                    AS outcome
        FROM crawldb
    )
)
GROUP BY GROUPING SETS ((outcome, key), (outcome, bin))
