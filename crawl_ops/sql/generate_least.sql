-- The lowest sort value of the selected URLs; NULL if there are none.
SELECT min(sort_value) AS sort_value FROM dealt
