-- The URLs to ask for again that are not selected anyway.
SELECT k, slot, sort_value, host, domain, NULL::BIGINT AS row, NULL::BIGINT AS place
FROM again ANTI JOIN selected USING (k)
