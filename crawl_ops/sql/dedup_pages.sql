-- Pages that may have a duplicate, with what is compared.
SELECT
    k,
    slot,
    url,
    signature,
    CASE $group_mode WHEN 'host' THEN host WHEN 'domain' THEN domain ELSE '' END AS scope,
    status,
    segment,
    score,
    fetch_time,
    -- Characters after percent-decoding; as it stands where that gives no text.
    length(coalesce(try(url_decode(url)), url))                                  AS url_length,
    regexp_replace(url, '^https?:', '')                                          AS rest,
    starts_with(url, 'https:')                                                   AS https
FROM crawldb
WHERE status IN ('db_fetched', 'db_notmodified')
    AND signature IS NOT NULL
    AND hash(signature) IN (SELECT part FROM signatures)
