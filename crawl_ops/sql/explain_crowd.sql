-- How many URLs of a host or domain the newest segment has.
SELECT count(*) AS n FROM newest WHERE if($by_domain, domain = $domain, host = $host)
