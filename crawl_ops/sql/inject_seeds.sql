-- The seeds, where each is one line.
SELECT * EXCLUDE (line) FROM lines
