-- Sources of links that were not fetched themselves (robots.txt names sitemaps): their newest segment counts.
SELECT from_k, max(segment) AS segment
FROM links ANTI JOIN winners ON winners.k = links.from_k
GROUP BY from_k
