-- The best: higher sort values, and of those with one the first by URL.
SELECT * FROM selected WHERE sort_value > $value::FLOAT OR k IN (SELECT k FROM tied)
