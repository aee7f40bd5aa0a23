-- The URLs of a bucket that may be selected.
SELECT k, slot, url, host, domain, sort_value
FROM judged
WHERE outcome = 'candidate'
