-- How many URLs of a bucket had which outcome.
SELECT if(outcome = 'candidate', 'candidates', outcome) AS outcome, count(*) AS n
FROM judged
GROUP BY ALL
