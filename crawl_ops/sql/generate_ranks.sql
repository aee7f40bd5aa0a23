-- How many URLs of a list are their host's first, second and so on.
SELECT rank_in_host, count(*) AS n FROM emitted WHERE list = $list GROUP BY rank_in_host ORDER BY rank_in_host
