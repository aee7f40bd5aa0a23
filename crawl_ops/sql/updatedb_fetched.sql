-- What a segment's fetch and parse say of a URL: one row a URL, the latest (Nutch rule 10.2).
WITH doubled AS (
    SELECT k FROM crawl_fetch WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT GROUP BY k HAVING count(*) > 1
),
latest AS (
    SELECT * FROM crawl_fetch ANTI JOIN doubled USING (k) WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
    UNION ALL
    (
        SELECT * FROM crawl_fetch SEMI JOIN doubled USING (k)
        WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
        QUALIFY row_number() OVER (
            PARTITION BY k ORDER BY fetch_time DESC, via IS NOT NULL, via, list, attempt
        ) = 1
    )
),
parsed AS (
    SELECT k, attempt, parse_status, reason, signature, metadata FROM parse_data
    WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
    QUALIFY row_number() OVER (
        PARTITION BY k, attempt ORDER BY fetch_time DESC, parse_status, signature
    ) = 1
)
SELECT
    latest.*,
    parsed.signature                          AS parse_signature,
    parsed.reason                             AS parse_reason,
    parsed.metadata                           AS parse_metadata,
    latest.fetch_status = 'parse_failed' OR (
        latest.fetch_status = 'fetch_success'
        AND coalesce(starts_with(parsed.parse_status, 'failed'), false)
    )                                         AS parse_failed
FROM latest LEFT JOIN parsed USING (k, attempt)
