-- The sort value at a place, from 0, of all that are held, best first, and how many are better.
WITH value AS (SELECT sort_value FROM selected ORDER BY sort_value DESC LIMIT 1 OFFSET $place)
SELECT
    any_value(value.sort_value)                                      AS sort_value,
    count(*) FILTER (selected.sort_value > value.sort_value)         AS above,
    count(*) FILTER (selected.sort_value = value.sort_value)         AS reaching
FROM selected, value
