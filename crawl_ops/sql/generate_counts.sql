-- How many URLs of a bucket have which outcome; of a host's candidates only so many count.
WITH judged AS (
    SELECT
        outcome,
        CASE WHEN outcome <> 'candidate' THEN '' WHEN $by_domain THEN domain ELSE host END AS key,
        count(*) AS n
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
    GROUP BY ALL
)
SELECT 'candidates' AS outcome, sum(least(n, $max_count))::BIGINT AS n
FROM judged WHERE outcome = 'candidate' HAVING count(*) > 0
UNION ALL
SELECT 'generate.max.count', sum(n - $max_count)::BIGINT AS n
FROM judged WHERE outcome = 'candidate' AND n > $max_count HAVING count(*) > 0
UNION ALL
SELECT outcome, sum(n)::BIGINT FROM judged WHERE outcome <> 'candidate' GROUP BY outcome
