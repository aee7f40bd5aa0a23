-- The sort value at a place, from 0, of all that are held, best first.
SELECT sort_value FROM selected ORDER BY sort_value DESC LIMIT 1 OFFSET $place
