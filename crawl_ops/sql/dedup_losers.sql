-- Pages that are duplicates of a preferred one. Criteria count in the order of their places, then the URL.
-- What is not to be indexed stands for no other page, and no other for it.
WITH indexable AS (
    SELECT * FROM pages ANTI JOIN (SELECT k FROM described WHERE noindex) AS hidden USING (k)
),
yielding AS (
    -- A page that names another one of its group as canonical gives way before all else.
    SELECT page.k
    FROM indexable AS page
    JOIN (SELECT k, canonical_url FROM described WHERE canonical_url IS NOT NULL) AS naming USING (k)
    JOIN indexable AS other
        ON other.url = naming.canonical_url
        AND other.signature = page.signature
        AND other.scope = page.scope
        AND other.k <> page.k
),
compared AS (
    SELECT
        *,
        -score::DOUBLE                                                 AS by_score,
        -epoch_ms(fetch_time)::DOUBLE                                  AS by_time,
        -- Characters after percent-decoding; as it stands where that gives no text.
        length(coalesce(try(url_decode(url)), url))::DOUBLE            AS by_length,
        k IN (SELECT k FROM yielding)                                  AS yields
    FROM indexable
),
placed AS (
    SELECT
        *,
        CASE 0 WHEN $p_score THEN by_score WHEN $p_fetchtime THEN by_time WHEN $p_urllength THEN by_length ELSE 0 END AS c0,
        CASE 1 WHEN $p_score THEN by_score WHEN $p_fetchtime THEN by_time WHEN $p_urllength THEN by_length ELSE 0 END AS c1,
        CASE 2 WHEN $p_score THEN by_score WHEN $p_fetchtime THEN by_time WHEN $p_urllength THEN by_length ELSE 0 END AS c2,
        CASE 3 WHEN $p_score THEN by_score WHEN $p_fetchtime THEN by_time WHEN $p_urllength THEN by_length ELSE 0 END AS c3
    FROM compared
),
twins AS (
    -- http:// gives way to https:// only where the rest of both URLs is the same.
    SELECT k
    FROM (
        SELECT
            k,
            NOT starts_with(url, 'https:') AND bool_or(starts_with(url, 'https:')) OVER (
                PARTITION BY
                    signature, scope, yields, regexp_replace(url, '^https?:', ''),
                    if($p_https > 0, c0, 0), if($p_https > 1, c1, 0), if($p_https > 2, c2, 0)
            ) AS has_https_twin
        FROM placed
        WHERE $p_https >= 0
    )
    WHERE has_https_twin
),
keyed AS (
    SELECT *, CASE WHEN k IN (SELECT k FROM twins) THEN 1::DOUBLE ELSE 0::DOUBLE END AS is_twin FROM placed
)
SELECT k, slot, url, first_value(url) OVER best AS winner
FROM keyed
WINDOW best AS (
    PARTITION BY signature, scope
    ORDER BY
        yields,
        if($p_https = 0, is_twin, c0), if($p_https = 1, is_twin, c1),
        if($p_https = 2, is_twin, c2), if($p_https = 3, is_twin, c3),
        url
)
QUALIFY row_number() OVER best > 1
ORDER BY slot
