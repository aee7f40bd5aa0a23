-- How many URLs of a list are their host's first, second and so on.
SELECT rank_in_host, count(*) AS n
FROM emitted JOIN host_lists ON host_lists.key = if($by_domain, emitted.domain, emitted.host)
WHERE list = $list
GROUP BY rank_in_host
ORDER BY rank_in_host
