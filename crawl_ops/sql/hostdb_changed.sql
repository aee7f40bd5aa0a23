-- Hosts that were known.
SELECT * FROM renewed SEMI JOIN met USING (host)
