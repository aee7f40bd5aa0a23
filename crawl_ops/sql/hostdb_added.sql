-- Hosts that are new.
FROM renewed ANTI JOIN met USING (host) ORDER BY host
