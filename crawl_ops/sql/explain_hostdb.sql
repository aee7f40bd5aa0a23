-- The hostdb row of a host.
SELECT * FROM hostdb WHERE host = $host
