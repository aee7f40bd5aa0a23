-- How many hosts a bucket must have.
SELECT count(*) AS hosts FROM (
    SELECT host FROM hostdb
    UNION
    SELECT host FROM counted
    UNION
    SELECT host FROM asked WHERE domain IS NOT NULL
)
