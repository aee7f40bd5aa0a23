-- The crawldb by status, as the hostdb counted it at the last updatedb.
SELECT
    count(*)                            AS hosts,
    coalesce(sum(unfetched), 0)::BIGINT     AS db_unfetched,
    coalesce(sum(fetched), 0)::BIGINT       AS db_fetched,
    coalesce(sum(notmodified), 0)::BIGINT   AS db_notmodified,
    coalesce(sum(redir_temp), 0)::BIGINT    AS db_redir_temp,
    coalesce(sum(redir_perm), 0)::BIGINT    AS db_redir_perm,
    coalesce(sum(gone), 0)::BIGINT          AS db_gone,
    coalesce(sum(duplicate), 0)::BIGINT     AS db_duplicate,
    coalesce(sum(orphan), 0)::BIGINT        AS db_orphan,
    coalesce(sum(parse_failed), 0)::BIGINT  AS db_parse_failed
FROM hostdb
