-- How many seed lines name a URL that a later line names too.
SELECT count(*) - count(DISTINCT k) AS n FROM lines
