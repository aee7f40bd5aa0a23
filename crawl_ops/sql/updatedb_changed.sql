-- Fetched URLs that were known.
SELECT * FROM outcome SEMI JOIN past USING (k)
