-- The lowest URL that was selected: what explain compares a URL that was not with.
SELECT url, sort_value FROM emitted ORDER BY sort_value, url DESC LIMIT 1
