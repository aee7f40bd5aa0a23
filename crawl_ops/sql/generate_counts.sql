-- How many URLs of a bucket have which outcome; of a host's candidates only so many count.
SELECT 'candidates' AS outcome, sum(least(n, $max_count))::BIGINT AS n
FROM judged WHERE outcome = 'candidate' HAVING count(*) > 0
UNION ALL
SELECT 'generate.max.count', sum(n - $max_count)::BIGINT AS n
FROM judged WHERE outcome = 'candidate' AND n > $max_count HAVING count(*) > 0
UNION ALL
SELECT outcome, sum(n)::BIGINT FROM judged WHERE outcome <> 'candidate' GROUP BY outcome
