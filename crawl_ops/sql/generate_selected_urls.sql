-- Selected URLs that the filters have not been asked about.
SELECT k, url FROM selected ANTI JOIN accepted USING (k)
