-- The URLs that would be asked for again by host.
SELECT host, count(*) AS urls FROM again GROUP BY host ORDER BY urls DESC, host
