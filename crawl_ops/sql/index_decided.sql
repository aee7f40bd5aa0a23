-- Every page of a segment, and what is done with it in the index: add, delete, or why nothing.
WITH compared AS (
    SELECT
        fetched,
        db,
        -- A segment that is not folded yet knows more than the crawldb.
        if(fetched.fetch_time > db.fetched_time, NULL, db.status)                   AS status,
        coalesce(fetched.fetch_time < latest.fetch_time, false)
        OR coalesce(fetched.fetch_time < db.fetched_time, false) AND CASE
            -- The last content was another.
            WHEN fetched.fetch_status = 'fetch_success' AND db.status IN ('db_notmodified', 'db_unfetched')
                THEN coalesce(fetched.parsed_signature <> db.signature, false)
            -- A good fetch in a segment that is not there any more: its page may be in the index.
            ELSE db.status IN ('db_fetched', 'db_notmodified') AND NOT list_contains($there, db.segment)
        END                                                                         AS outdated
    FROM fetched
    LEFT JOIN db USING (k)
    LEFT JOIN (SELECT k, max(fetch_time) AS fetch_time FROM later GROUP BY k) AS latest USING (k)
)
SELECT
    fetched.k                                             AS k,
    fetched.attempt                                       AS attempt,
    fetched.parsed_time                                   AS parsed_time,
    fetched.url                                           AS url,
    fetched.host                                          AS host,
    fetched.domain                                        AS domain,
    fetched.fetch_time                                    AS fetch_time,
    coalesce(db.modified_time, fetched.modified_time)     AS modified_time,
    coalesce(db.score, 1.0)                               AS score,
    coalesce(db.metadata, fetched.metadata)               AS db_metadata,
    CASE
        WHEN $rules.delete AND status
            IN ('db_gone', 'db_redir_temp', 'db_redir_perm', 'db_orphan', 'db_duplicate') THEN 'delete'
        WHEN $rules.delete_failed AND status = 'db_parse_failed'                          THEN 'delete'
        WHEN outdated                                                                     THEN 'newer_segment'
        WHEN $rules.skip_notmodified AND status = 'db_notmodified' AND fetched.asked = 'add'
            AND db.fetched_time = fetched.fetch_time                                      THEN 'db_notmodified'
        ELSE fetched.asked
    END                                                   AS action
FROM compared
