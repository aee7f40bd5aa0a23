-- The new crawldb rows of fetched URLs (Nutch rule 10.3). Not of those whose row is newer than the fetch.
WITH pointed AS (SELECT k, share, way FROM linked SEMI JOIN fetched USING (k)),
met AS (
    SELECT
        new,
        old,
        link,
        about,
        -- A URL that a redirect led to was not in the fetch list: the crawldb knows its past.
        if(new.via IS NULL, new.interval_s, coalesce(old.interval_s, new.interval_s))   AS interval_s,
        if(new.via IS NULL, new.retries, coalesce(old.retries, new.retries))            AS retries,
        coalesce(new.modified_time, old.modified_time)                                  AS modified_time,
        coalesce(new.parse_signature, new.signature, if(new.via IS NULL, NULL, old.signature)) AS signature,
        CASE
            WHEN old.metadata IS NULL THEN new.metadata
            WHEN new.metadata IS NULL THEN old.metadata
            ELSE json_merge_patch(old.metadata, new.metadata)
        END                                                                             AS metadata
    FROM fetched AS new
    LEFT JOIN past AS old ON old.k = new.k
    LEFT JOIN pointed AS link ON link.k = new.k
    LEFT JOIN described AS about ON about.k = new.k
    WHERE (old.k IS NOT NULL OR $additions_allowed)
        AND coalesce(old.host = new.host, true)
        AND coalesce(new.fetch_time > old.fetched_time, true)
),
judged AS (
    SELECT
        *,
        CASE new.fetch_status
            WHEN 'fetch_notmodified' THEN 'notmodified'
            WHEN 'fetch_success'     THEN CASE
                WHEN old.signature IS NULL OR signature IS NULL THEN 'unknown'
                WHEN old.signature = signature                  THEN 'notmodified'
                ELSE 'modified'
            END
            ELSE 'unknown'
        END                                                                             AS state,
        CASE
            WHEN new.fetch_status = 'parse_failed' OR (new.parse_failed AND $delete_failed_parse)
                                                        THEN 'db_parse_failed'
            WHEN new.fetch_status = 'fetch_success'     THEN if(state = 'notmodified', 'db_notmodified', 'db_fetched')
            WHEN new.fetch_status = 'fetch_notmodified' THEN 'db_notmodified'
            WHEN new.fetch_status = 'fetch_redir_temp'  THEN 'db_redir_temp'
            WHEN new.fetch_status = 'fetch_redir_perm'  THEN 'db_redir_perm'
            WHEN new.fetch_status = 'fetch_gone'        THEN 'db_gone'
            WHEN new.fetch_status = 'fetch_retry'       THEN if(retries + 1 < $retry_max, 'db_unfetched', 'db_gone')
        END                                                                             AS status,
        status IN ('db_fetched', 'db_notmodified', 'db_redir_temp', 'db_redir_perm')    AS good
    FROM met
),
planned AS (
    SELECT
        *,
        CASE
            WHEN good                    THEN next_fetch(state, new.fetch_time, modified_time, interval_s, fixed_interval(metadata), $rules)
            WHEN status = 'db_unfetched' THEN retry_fetch(new.fetch_time, modified_time, interval_s)
            ELSE gone_fetch(new.fetch_time, modified_time, interval_s, $rules)
        END                                                                             AS plan
    FROM judged
),
settled AS (
    -- Forced: too long an interval; status, signature and what conditional requests need start anew.
    SELECT *, good AND plan.interval_s > $rules.interval_max AS forced FROM planned
)
SELECT
    new.k                                                                               AS k,
    new.slot                                                                            AS slot,
    new.url                                                                             AS url,
    new.host                                                                            AS host,
    new.domain                                                                          AS domain,
    if(forced, 'db_unfetched', status)                                                  AS status,
    date_trunc('milliseconds', plan.fetch_time)                                         AS fetch_time,
    new.fetch_time                                                                      AS fetched_time,
    CASE
        WHEN forced                    THEN NULL
        WHEN status = 'db_notmodified' THEN old.modified_time
        ELSE plan.modified_time
    END                                                                                 AS modified_time,
    if(forced, floor(0.9 * $rules.interval_max + 0.5)::BIGINT, plan.interval_s)::INTEGER AS interval_s,
    CASE
        WHEN good                             THEN 0
        WHEN new.fetch_status = 'fetch_retry' THEN least(retries + 1, 32767)
        ELSE retries
    END::SMALLINT                                                                       AS retries,
    updated_score(
        coalesce(old.score, new.score),
        coalesce(link.share, 0::FLOAT) + if(old.k IS NULL, coalesce(about.priority, 0::FLOAT), 0::FLOAT)
    )                                                                                   AS score,
    CASE
        WHEN forced                                   THEN NULL
        WHEN NOT good OR status = 'db_notmodified'    THEN old.signature
        ELSE signature
    END                                                                                 AS signature,
    new.protocol_status                                                                 AS protocol_status,
    new.http_status                                                                     AS http_status,
    CASE
        WHEN forced                           THEN 'interval is above db.fetch.interval.max: starts anew'
        WHEN new.fetch_status = 'fetch_retry' AND status = 'db_gone'
            THEN concat_ws(': ', format('gone after {} failed tries', retries + 1), new.reason)
        WHEN new.redirect_url IS NOT NULL AND status LIKE 'db_redir_%' THEN 'redirects to ' || new.redirect_url
        WHEN new.parse_failed                 THEN concat_ws(': ', 'parse failed', coalesce(new.parse_reason, new.reason))
        WHEN status = 'db_notmodified' AND new.fetch_status = 'fetch_success' THEN coalesce(new.reason, 'the same content as before')
        ELSE new.reason
    END                                                                                 AS reason,
    CASE
        WHEN forced OR status NOT IN ('db_fetched', 'db_notmodified', 'db_unfetched')   THEN NULL
        WHEN status = 'db_fetched'                                                      THEN new.etag
        ELSE coalesce(new.etag, old.etag)
    END                                                                                 AS etag,
    CASE
        WHEN forced OR status NOT IN ('db_fetched', 'db_notmodified', 'db_unfetched')   THEN NULL
        WHEN status = 'db_fetched'                                                      THEN new.last_modified
        ELSE coalesce(new.last_modified, old.last_modified)
    END                                                                                 AS last_modified,
    if(status = 'db_unfetched' OR (status = 'db_notmodified' AND new.content_type IS NULL), old.content_type, new.content_type) AS content_type,
    least(coalesce(old.depth, new.depth), way_depth(link.way))                                   AS depth,
    if(way_depth(link.way) < coalesce(old.depth, new.depth, 2147483647), way_max_depth(link.way), coalesce(old.max_depth, new.max_depth)) AS max_depth,
    $segment                                                                            AS segment,
    if(good, with_parse_metadata(metadata, new.parse_metadata, $parse_keys::VARCHAR[]), metadata)  AS metadata
FROM settled
