-- Every page of a segment, and what is done with it in the index: add, delete, or why nothing.
SELECT
    f.url,
    f.host,
    f.domain,
    CASE
        WHEN $delete_noindex AND p.noindex                                       THEN 'delete'
        WHEN $delete_failed AND db.status = 'db_parse_failed'                    THEN 'delete'
        WHEN $delete AND coalesce(db.status, f.fetch_status)
            IN ('db_gone', 'fetch_gone', 'db_redir_temp', 'db_redir_perm',
                'fetch_redir_temp', 'fetch_redir_perm', 'db_orphan', 'db_duplicate') THEN 'delete'
        WHEN db.segment > $segment AND db.status <> 'db_notmodified'             THEN 'newer_segment'
        WHEN f.fetch_status <> 'fetch_success'                                   THEN f.fetch_status
        WHEN p.k IS NULL OR t.k IS NULL                                          THEN 'not_parsed'
        WHEN p.kind = 'sitemap'                                                  THEN 'sitemap'
        WHEN p.parse_status NOT LIKE 'success%'                                  THEN p.parse_status
        WHEN $skip_notmodified AND db.status = 'db_notmodified'                  THEN 'db_notmodified'
        ELSE 'add'
    END                                             AS action,
    p.title,
    t.text,
    f.fetch_time,
    coalesce(db.modified_time, f.modified_time)     AS modified_time,
    coalesce(db.score, 1.0)                         AS score,
    p.signature,
    p.content_type,
    p.language,
    coalesce(p.noarchive, false)                    AS noarchive,
    index_anchors.anchors,
    p.metadata                                      AS parse_metadata,
    db.metadata                                     AS db_metadata,
    h.headers
FROM crawl_fetch AS f
LEFT JOIN parse_data AS p ON p.k = f.k
LEFT JOIN parse_text AS t ON t.k = f.k
LEFT JOIN index_db AS db ON db.k = f.k
LEFT JOIN index_anchors ON index_anchors.k = f.k
LEFT JOIN (SELECT k, headers FROM headers_of) AS h ON h.k = f.k
ORDER BY f.url
