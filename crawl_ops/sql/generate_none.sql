-- Nothing selected. row: the place in the bucket's file, NULL if it has several. place: among those of
-- the host or domain, NULL if they are not counted.
SELECT
    0::UBIGINT   AS k,
    0::USMALLINT AS slot,
    0::FLOAT     AS sort_value,
    ''           AS host,
    ''           AS domain,
    0::BIGINT    AS row,
    0::BIGINT    AS place
WHERE false
