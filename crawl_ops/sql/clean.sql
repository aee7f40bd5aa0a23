-- Pages that may not be in the index.
SELECT url
FROM crawldb
WHERE status IN ('db_gone', 'db_duplicate', 'db_redir_temp', 'db_redir_perm', 'db_orphan')
