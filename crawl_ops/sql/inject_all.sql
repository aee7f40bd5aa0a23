-- All seeds, for a crawldb of one bucket.
SELECT * FROM seeds
