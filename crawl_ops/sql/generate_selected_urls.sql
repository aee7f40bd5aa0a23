-- The selected URLs, for the filters.
SELECT k, url FROM selected
