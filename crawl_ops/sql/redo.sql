-- The URLs that would be asked for again by why: the reason of the last answer, else its status.
WITH last AS (
    SELECT k, arg_max(coalesce(reason, fetch_status), fetch_time) AS reason
    FROM answered
    GROUP BY k
)
SELECT left(coalesce(last.reason, 'not asked for'), 100) AS reason, count(*) AS urls
FROM again LEFT JOIN last USING (k)
GROUP BY ALL
ORDER BY urls DESC, reason
LIMIT 20
