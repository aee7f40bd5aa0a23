-- The new crawldb rows of fetched URLs (Nutch rule 10.3). Not of those whose row is newer than the fetch.
WITH pointed AS (SELECT k, share, way FROM linked SEMI JOIN fetched USING (k)),
met AS (
    SELECT
        -- By name: whole rows as structures would be copied from step to step.
        new.k AS new_k,
        new.slot AS new_slot,
        new.url AS new_url,
        new.host AS new_host,
        new.domain AS new_domain,
        new.fetch_status AS new_fetch_status,
        new.fetch_time AS new_fetch_time,
        new.score AS new_score,
        new.protocol_status AS new_protocol_status,
        new.http_status AS new_http_status,
        new.reason AS new_reason,
        new.parse_reason AS new_parse_reason,
        new.redirect_url AS new_redirect_url,
        new.etag AS new_etag,
        new.last_modified AS new_last_modified,
        new.content_type AS new_content_type,
        new.depth AS new_depth,
        new.max_depth AS new_max_depth,
        new.parse_failed AS new_parse_failed,
        new.parse_metadata AS new_parse_metadata,
        old.k AS old_k,
        old.modified_time AS old_modified_time,
        old.score AS old_score,
        old.signature AS old_signature,
        old.etag AS old_etag,
        old.last_modified AS old_last_modified,
        old.content_type AS old_content_type,
        old.depth AS old_depth,
        old.max_depth AS old_max_depth,
        link.share AS link_share,
        link.way AS link_way,
        about.priority AS about_priority,
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
        -- What was fetched in the future was so by a wrong clock, and would be kept until then.
        AND coalesce(new.fetch_time > old.fetched_time OR old.fetched_time > $believable::TIMESTAMPTZ, true)
),
judged AS (
    SELECT
        *,
        CASE new_fetch_status
            WHEN 'fetch_notmodified' THEN 'notmodified'
            WHEN 'fetch_success'     THEN CASE
                WHEN old_signature IS NULL OR signature IS NULL THEN 'unknown'
                WHEN old_signature = signature                  THEN 'notmodified'
                ELSE 'modified'
            END
            ELSE 'unknown'
        END                                                                             AS state,
        CASE
            WHEN new_fetch_status = 'parse_failed' OR (new_parse_failed AND $delete_failed_parse)
                                                        THEN 'db_parse_failed'
            WHEN new_fetch_status = 'fetch_success'     THEN if(state = 'notmodified', 'db_notmodified', 'db_fetched')
            WHEN new_fetch_status = 'fetch_notmodified' THEN 'db_notmodified'
            WHEN new_fetch_status = 'fetch_redir_temp'  THEN 'db_redir_temp'
            WHEN new_fetch_status = 'fetch_redir_perm'  THEN 'db_redir_perm'
            WHEN new_fetch_status = 'fetch_gone'        THEN 'db_gone'
            WHEN new_fetch_status = 'fetch_retry'       THEN if(retries + 1 < $retry_max, 'db_unfetched', 'db_gone')
        END                                                                             AS status,
        status IN ('db_fetched', 'db_notmodified', 'db_redir_temp', 'db_redir_perm')    AS good
    FROM met
),
planned AS (
    SELECT
        *,
        CASE
            WHEN good                    THEN next_fetch(state, new_fetch_time, modified_time, interval_s, fixed_interval(metadata), $rules)
            WHEN status = 'db_unfetched' THEN retry_fetch(new_fetch_time, modified_time, interval_s)
            ELSE gone_fetch(new_fetch_time, modified_time, interval_s, $rules)
        END                                                                             AS plan
    FROM judged
),
settled AS (
    -- Forced: too long an interval; status, signature and what conditional requests need start anew.
    SELECT *, good AND plan.interval_s > $rules.interval_max AS forced FROM planned
)
SELECT
    new_k                                                                               AS k,
    new_slot                                                                            AS slot,
    new_url                                                                             AS url,
    new_host                                                                            AS host,
    new_domain                                                                          AS domain,
    if(forced, 'db_unfetched', status)                                                  AS status,
    date_trunc('milliseconds', plan.fetch_time)                                         AS fetch_time,
    new_fetch_time                                                                      AS fetched_time,
    CASE
        WHEN forced                    THEN NULL
        WHEN status = 'db_notmodified' THEN old_modified_time
        ELSE plan.modified_time
    END                                                                                 AS modified_time,
    if(forced, floor(0.9 * $rules.interval_max + 0.5)::BIGINT, plan.interval_s)::INTEGER AS interval_s,
    CASE
        WHEN good                             THEN 0
        WHEN new_fetch_status = 'fetch_retry' THEN least(retries + 1, 32767)
        ELSE retries
    END::SMALLINT                                                                       AS retries,
    updated_score(
        coalesce(old_score, new_score),
        coalesce(link_share, 0::FLOAT) + if(old_k IS NULL, coalesce(about_priority, 0::FLOAT), 0::FLOAT)
    )                                                                                   AS score,
    CASE
        WHEN forced                                   THEN NULL
        WHEN NOT good OR status = 'db_notmodified'    THEN old_signature
        ELSE signature
    END                                                                                 AS signature,
    new_protocol_status                                                                 AS protocol_status,
    new_http_status                                                                     AS http_status,
    CASE
        WHEN forced                           THEN 'interval is above db.fetch.interval.max: starts anew'
        WHEN new_fetch_status = 'fetch_retry' AND status = 'db_gone'
            THEN concat_ws(': ', format('gone after {} failed tries', retries + 1), new_reason)
        WHEN new_redirect_url IS NOT NULL AND status LIKE 'db_redir_%' THEN 'redirects to ' || new_redirect_url
        WHEN new_parse_failed                 THEN concat_ws(': ', 'parse failed', coalesce(new_parse_reason, new_reason))
        WHEN status = 'db_notmodified' AND new_fetch_status = 'fetch_success' THEN coalesce(new_reason, 'the same content as before')
        ELSE new_reason
    END                                                                                 AS reason,
    CASE
        WHEN forced OR status NOT IN ('db_fetched', 'db_notmodified', 'db_unfetched')   THEN NULL
        WHEN status = 'db_fetched'                                                      THEN new_etag
        ELSE coalesce(new_etag, old_etag)
    END                                                                                 AS etag,
    CASE
        WHEN forced OR status NOT IN ('db_fetched', 'db_notmodified', 'db_unfetched')   THEN NULL
        WHEN status = 'db_fetched'                                                      THEN new_last_modified
        ELSE coalesce(new_last_modified, old_last_modified)
    END                                                                                 AS last_modified,
    if(status = 'db_unfetched' OR (status = 'db_notmodified' AND new_content_type IS NULL), old_content_type, new_content_type) AS content_type,
    least(coalesce(old_depth, new_depth), way_depth(link_way))                                   AS depth,
    if(way_depth(link_way) < coalesce(old_depth, new_depth, 2147483647), way_max_depth(link_way), coalesce(old_max_depth, new_max_depth)) AS max_depth,
    $segment                                                                            AS segment,
    if(good, with_parse_metadata(metadata, new_parse_metadata, $parse_keys::VARCHAR[]), metadata)  AS metadata
FROM settled
