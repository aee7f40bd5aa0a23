-- Those with a sort value or a better one.
SELECT * FROM selected WHERE sort_value >= $value::FLOAT
