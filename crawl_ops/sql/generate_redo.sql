-- The URLs of segments to ask for again: all, or those without an answer that counts, then or since.
WITH wanted AS (
    SELECT
        k,
        any_value(slot)   AS slot,
        any_value(url)    AS url,
        any_value(host)   AS host,
        any_value(domain) AS domain,
        max(score)        AS sort_value
    FROM asked
    WHERE (len($lists::INTEGER[]) = 0 OR list_contains($lists::INTEGER[], list::INTEGER))
        AND (len($hosts::VARCHAR[]) = 0 OR list_contains($hosts::VARCHAR[], host))
    GROUP BY k
),
last AS (
    SELECT k, max(fetch_time) AS fetch_time, arg_max(fetch_status, fetch_time) AS fetch_status
    FROM answered
    GROUP BY k
),
since AS (
    SELECT
        k,
        fetched_time,
        status NOT IN ('db_unfetched', 'db_gone', 'db_parse_failed')
            OR (status = 'db_gone' AND protocol_status IN ('gone', 'notfound', 'access_denied', 'robots_denied'))
            AS answered
    FROM crawldb SEMI JOIN wanted USING (k)
)
SELECT w.k, w.slot, w.url, w.host, w.domain, w.sort_value
FROM wanted AS w
LEFT JOIN last AS f ON f.k = w.k
LEFT JOIN since AS d ON d.k = w.k
WHERE $everything
    OR (
        (f.k IS NULL OR f.fetch_status IN ('fetch_retry', 'parse_failed'))
        AND NOT coalesce(d.answered AND d.fetched_time > coalesce(f.fetch_time, $since::TIMESTAMPTZ), false)
    )
ORDER BY sort_value DESC, url
