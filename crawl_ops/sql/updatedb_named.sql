-- The new URLs of a bucket.
SELECT k, any_value(to_url) AS url, any_value(to_host) AS host, any_value(to_domain) AS domain
FROM naming
GROUP BY k
