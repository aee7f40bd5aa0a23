-- What one fetch of a page asks of the index: add, delete, or why nothing (Nutch rule 14.1).
CREATE OR REPLACE TEMP MACRO asked_of_index(fetched, parsed, has_text, rules) AS CASE
    WHEN rules.delete_noindex AND parsed.noindex                              THEN 'delete'
    WHEN rules.delete_failed AND fetched.fetch_status = 'parse_failed'        THEN 'delete'
    WHEN rules.delete AND fetched.fetch_status
        IN ('fetch_gone', 'fetch_redir_temp', 'fetch_redir_perm')             THEN 'delete'
    WHEN fetched.fetch_status <> 'fetch_success'                              THEN fetched.fetch_status
    WHEN parsed.parse_status IS NULL OR NOT has_text                          THEN 'not_parsed'
    WHEN parsed.kind = 'sitemap'                                              THEN 'sitemap'
    WHEN NOT starts_with(parsed.parse_status, 'success')                      THEN parsed.parse_status
    WHEN rules.skip_notmodified AND parsed.signature = fetched.signature      THEN 'db_notmodified'
    ELSE 'add'
END;
