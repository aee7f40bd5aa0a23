-- No URL, with the columns of those that are selected.
SELECT k, slot, url, host, domain, score AS sort_value FROM candidates LIMIT 0
