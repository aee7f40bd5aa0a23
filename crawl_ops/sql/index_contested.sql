-- Pages of a segment that another segment may have fetched later.
SELECT k
FROM fetched LEFT JOIN db USING (k)
WHERE $all OR NOT coalesce(db.fetched_time <= fetched.fetch_time, false)
