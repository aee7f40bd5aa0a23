-- Nothing selected.
SELECT 0::UBIGINT AS k, '' AS url, '' AS host, '' AS domain, 0::FLOAT AS sort_value WHERE false
