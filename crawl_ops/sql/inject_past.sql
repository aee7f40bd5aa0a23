-- The rows of a bucket that the seeds name.
SELECT * FROM crawldb SEMI JOIN (SELECT k FROM share) USING (k)
