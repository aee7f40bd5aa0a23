-- Of the lines of a URL the last.
SELECT max(line) AS line FROM lines GROUP BY k
