-- How many URLs a run asked for, and how many of them failed the last time that they were asked for.
SELECT count(*) AS asked, count(*) FILTER (failed) AS failed
FROM (
    SELECT arg_max(fetch_status = 'fetch_retry', fetch_time) AS failed
    FROM fetched
    GROUP BY k
    HAVING bool_or(mine)
)
