-- Of the lines of a URL the last.
SELECT * FROM seeds WHERE rowid IN (SELECT max(rowid) FROM seeds GROUP BY k)
