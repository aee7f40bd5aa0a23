-- How many targets of links are left out, since links add no URLs.
SELECT count(*) AS n FROM matched WHERE NOT known
