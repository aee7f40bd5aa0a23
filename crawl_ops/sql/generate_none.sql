-- Nothing selected.
SELECT 0::UBIGINT AS k, 0::USMALLINT AS slot, 0::FLOAT AS sort_value, '' AS host, '' AS domain WHERE false
