-- Pages that are duplicates of a preferred one. Criteria count in the order of their places, then the URL.
WITH page AS (
    SELECT
        k,
        slot,
        url,
        signature,
        score,
        fetch_time,
        CASE $group_mode WHEN 'host' THEN host WHEN 'domain' THEN domain ELSE '' END AS scope,
        length(coalesce(try(url_decode(url)), url))                               AS url_length,
        regexp_replace(url, '^https?:', '')                                          AS rest,
        starts_with(url, 'https:')                                                   AS https
    FROM crawldb
    WHERE status IN ('db_fetched', 'db_notmodified')
        AND signature IS NOT NULL
        AND hash(signature) IN (SELECT part FROM signatures)
),
ranked AS (
    SELECT
        *,
        -- http:// gives way to https:// only where the rest of both URLs is the same.
        NOT https AND max(https) OVER (PARTITION BY signature, scope, rest)          AS has_https_twin
    FROM page
),
criteria AS (
    SELECT
        *,
        {
            'score': -score::DOUBLE,
            'fetch_time': -epoch_ms(fetch_time)::DOUBLE,
            'url_length': url_length::DOUBLE,
            'https': has_https_twin::INTEGER::DOUBLE
        } AS c
    FROM ranked
),
keyed AS (
    SELECT
        *,
        [
            CASE place
                WHEN $p_score     THEN c.score
                WHEN $p_fetchtime THEN c.fetch_time
                WHEN $p_urllength THEN c.url_length
                WHEN $p_https     THEN c.https
                ELSE 0
            END
            FOR place IN [0, 1, 2, 3]
        ] AS preference
    FROM criteria
)
SELECT
    k,
    slot,
    first_value(url) OVER (PARTITION BY signature, scope ORDER BY preference, url) AS winner
FROM keyed
QUALIFY row_number() OVER (PARTITION BY signature, scope ORDER BY preference, url) > 1
