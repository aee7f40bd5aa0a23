-- Known URLs as the seeds want them: anew, or with what the seed says.
SELECT
    old.* REPLACE (
        CASE
            WHEN old.url <> seed.url THEN error('two URLs have one key: ' || old.url || ' ' || seed.url)
            WHEN $overwrite THEN 'db_unfetched'
            ELSE old.status
        END                                                              AS status,
        if($overwrite, $now::TIMESTAMPTZ, old.fetch_time)                AS fetch_time,
        if($overwrite, NULL, old.fetched_time)                           AS fetched_time,
        if($overwrite, NULL, old.modified_time)                          AS modified_time,
        CASE
            WHEN $overwrite OR seed.interval_s <> $interval_default THEN seed.interval_s
            ELSE old.interval_s
        END                                                              AS interval_s,
        if($overwrite, 0, old.retries)                                   AS retries,
        CASE
            WHEN $overwrite OR seed.score <> $score_injected::FLOAT THEN seed.score
            ELSE old.score
        END                                                              AS score,
        if($overwrite, NULL, old.signature)                              AS signature,
        if($overwrite, NULL, old.protocol_status)                        AS protocol_status,
        if($overwrite, NULL, old.http_status)                            AS http_status,
        if($overwrite, NULL, old.reason)                                 AS reason,
        if($overwrite, NULL, old.etag)                                   AS etag,
        if($overwrite, NULL, old.last_modified)                          AS last_modified,
        if($overwrite, NULL, old.content_type)                           AS content_type,
        if($overwrite, 1, old.depth)                                     AS depth,
        if($overwrite, seed.max_depth, old.max_depth)                    AS max_depth,
        if($overwrite, NULL, old.segment)                                AS segment,
        CASE
            WHEN $overwrite THEN seed.metadata
            WHEN seed.metadata IS NOT NULL
                THEN json_merge_patch(coalesce(old.metadata, '{}'), seed.metadata)
            ELSE old.metadata
        END                                                              AS metadata
    )
FROM past AS old JOIN share AS seed ON old.k = seed.k
WHERE $overwrite OR $update OR old.url <> seed.url
