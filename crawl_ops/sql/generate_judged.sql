-- How many URLs of a bucket have which outcome; candidates by host or domain.
SELECT
    outcome,
    CASE WHEN outcome <> 'candidate' THEN '' WHEN $by_domain THEN domain ELSE host END AS key,
    count(*)                                                                         AS n
FROM (
    SELECT
        *,
        sort_value_of(score, depth, max_depth, $rules)                       AS sort_value,
        outcome_of(k, fetch_time, status, sort_value, interval_s, $rules)    AS outcome
    FROM crawldb
)
GROUP BY ALL
