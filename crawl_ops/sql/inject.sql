-- A bucket of the crawldb after inject: known URLs, and seeds that are new. The last seed of a URL counts.
WITH seed AS (
    SELECT * FROM seeds
    WHERE slot BETWEEN $lo AND $hi
    QUALIFY row_number() OVER (PARTITION BY k ORDER BY rowid DESC) = 1
)
SELECT
    coalesce(old.k, seed.k)                                              AS k,
    coalesce(old.slot, seed.slot)                                        AS slot,
    CASE
        WHEN old.url <> seed.url THEN error('two URLs have one key: ' || old.url || ' ' || seed.url)
        ELSE coalesce(old.url, seed.url)
    END                                                                  AS url,
    coalesce(old.host, seed.host)                                        AS host,
    coalesce(old.domain, seed.domain)                                    AS domain,
    if(anew, seed.status, old.status)                                    AS status,
    if(anew, seed.fetch_time, old.fetch_time)                            AS fetch_time,
    if(anew, NULL, old.fetched_time)                                     AS fetched_time,
    if(anew, NULL, old.modified_time)                                    AS modified_time,
    CASE
        WHEN anew THEN seed.interval_s
        WHEN updated AND seed.interval_s <> $interval_default THEN seed.interval_s
        ELSE old.interval_s
    END                                                                  AS interval_s,
    if(anew, seed.retries, old.retries)                                  AS retries,
    CASE
        WHEN anew THEN seed.score
        WHEN updated AND seed.score <> $score_injected::FLOAT THEN seed.score
        ELSE old.score
    END                                                                  AS score,
    if(anew, NULL, old.signature)                                        AS signature,
    if(anew, NULL, old.protocol_status)                                  AS protocol_status,
    if(anew, NULL, old.http_status)                                      AS http_status,
    if(anew, NULL, old.reason)                                           AS reason,
    if(anew, NULL, old.etag)                                             AS etag,
    if(anew, NULL, old.last_modified)                                    AS last_modified,
    if(anew, NULL, old.content_type)                                     AS content_type,
    if(anew, seed.depth, old.depth)                                      AS depth,
    if(anew, seed.max_depth, old.max_depth)                              AS max_depth,
    if(anew, NULL, old.segment)                                          AS segment,
    CASE
        WHEN anew THEN seed.metadata
        WHEN updated AND seed.metadata IS NOT NULL
            THEN json_merge_patch(coalesce(old.metadata, '{}'), seed.metadata)
        ELSE old.metadata
    END                                                                  AS metadata
FROM (
    SELECT
        old,
        seed,
        old.k IS NULL OR ($overwrite AND seed.k IS NOT NULL)             AS anew,
        $update AND seed.k IS NOT NULL                                   AS updated
    FROM crawldb AS old FULL JOIN seed ON old.k = seed.k
)
ORDER BY host, url
