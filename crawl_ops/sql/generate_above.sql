-- How many have a better sort value.
SELECT count(*) AS n FROM selected WHERE sort_value > $value::FLOAT
