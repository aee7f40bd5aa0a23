-- The keys that are asked for.
SELECT unnest($keys::UBIGINT[]) AS k, unnest($slots::USMALLINT[]) AS slot
