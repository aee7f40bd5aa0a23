-- The pages of a segment, each once, with its latest fetch and what parsing it came to.
WITH latest AS (
    -- Almost all are there once: only the others are ranked, which takes all columns of a row.
    SELECT k, attempt, url, host, domain, fetch_status, fetch_time, modified_time, signature, metadata
    FROM crawl_fetch ANTI JOIN (SELECT k FROM crawl_fetch GROUP BY k HAVING count(*) > 1) AS again USING (k)
    UNION ALL
    SELECT k, attempt, url, host, domain, fetch_status, fetch_time, modified_time, signature, metadata
    FROM crawl_fetch SEMI JOIN (SELECT k FROM crawl_fetch GROUP BY k HAVING count(*) > 1) AS again USING (k)
    QUALIFY row_number() OVER (
        PARTITION BY k ORDER BY fetch_time DESC, via IS NOT NULL, via, list, attempt
    ) = 1
),
parsed AS (
    SELECT k, attempt, fetch_time, parse_status, kind, noindex, signature
    FROM parse_data ANTI JOIN (SELECT k FROM parse_data GROUP BY k HAVING count(*) > 1) AS again USING (k)
    UNION ALL
    SELECT k, attempt, fetch_time, parse_status, kind, noindex, signature
    FROM parse_data SEMI JOIN (SELECT k FROM parse_data GROUP BY k HAVING count(*) > 1) AS again USING (k)
    QUALIFY row_number() OVER (
        PARTITION BY k, attempt ORDER BY fetch_time DESC, parse_status, signature
    ) = 1
)
SELECT
    latest.*,
    parsed.fetch_time                                                     AS parsed_time,
    parsed.signature                                                      AS parsed_signature,
    asked_of_index(latest, parsed, texts.k IS NOT NULL, $rules)           AS asked
FROM latest
LEFT JOIN parsed USING (k, attempt)
LEFT JOIN (SELECT DISTINCT k, attempt FROM parse_text) AS texts USING (k, attempt)
