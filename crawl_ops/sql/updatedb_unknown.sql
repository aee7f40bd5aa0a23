-- How many fetched URLs were not known.
SELECT count(*) AS n FROM outcome ANTI JOIN past USING (k)
