-- The URLs of a bucket that may be selected, of those that the redo of the depth before led to.
SELECT k, slot, url, host, domain, sort_value
FROM judged SEMI JOIN led_to USING (k)
WHERE outcome = 'candidate'
