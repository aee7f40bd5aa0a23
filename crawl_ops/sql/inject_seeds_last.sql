-- The seeds, each by its last line.
SELECT * EXCLUDE (line) FROM lines SEMI JOIN last USING (line)
