-- Pages that are duplicates of a preferred one. Criteria count in the order of their places, then the URL.
-- What is not to be indexed stands for no other page, and no other for it.
WITH indexable AS (
    SELECT * FROM pages ANTI JOIN (SELECT k FROM described WHERE noindex) AS hidden USING (k)
),
yielding AS (
    -- A page that names another one of its group as canonical gives way before all else.
    SELECT page.k
    FROM indexable AS page
    JOIN described USING (k)
    JOIN indexable AS other
        ON other.url = described.canonical_url
        AND other.signature = page.signature
        AND other.scope = page.scope
        AND other.k <> page.k
),
criteria AS (
    SELECT
        *,
        k IN (SELECT k FROM yielding) AS yields,
        [
            CASE place
                WHEN $p_score     THEN -score::DOUBLE
                WHEN $p_fetchtime THEN -epoch_ms(fetch_time)::DOUBLE
                WHEN $p_urllength THEN url_length::DOUBLE
                ELSE 0
            END
            FOR place IN [0, 1, 2, 3]
        ] AS preference
    FROM indexable
),
keyed AS (
    SELECT
        *,
        if($p_https < 0, preference, preference[:$p_https]) AS before,
        if($p_https < 0, [], preference[$p_https + 2:])     AS after,
        -- http:// gives way to https:// only where the rest of both URLs is the same.
        $p_https >= 0 AND NOT https AND max(https) OVER (
            PARTITION BY signature, scope, rest, yields, before
        )                                                   AS has_https_twin
    FROM criteria
)
SELECT
    k,
    slot,
    url,
    first_value(url) OVER best AS winner
FROM keyed
WINDOW best AS (
    PARTITION BY signature, scope
    ORDER BY yields, before, has_https_twin, after, url
)
QUALIFY row_number() OVER best > 1
