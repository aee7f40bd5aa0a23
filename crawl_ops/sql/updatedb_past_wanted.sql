-- Fetched URLs that the crawldb knows and of which `past` says nothing yet: redirects led to them.
SELECT k, host FROM fetched SEMI JOIN known USING (k) ANTI JOIN past USING (k)
