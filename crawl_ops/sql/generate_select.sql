-- The best: higher sort values, then those up to a URL.
SELECT * FROM selected WHERE sort_value > $value::FLOAT OR (sort_value = $value::FLOAT AND url <= $url)
