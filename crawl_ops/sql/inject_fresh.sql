-- Seeds of a bucket that are new, of some hosts, sorted.
SELECT *
FROM (
    SELECT * FROM share WHERE ($after::VARCHAR IS NULL OR host > $after::VARCHAR) AND host <= $last
) ANTI JOIN past USING (k)
ORDER BY host, url
