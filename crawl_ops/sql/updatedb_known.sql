-- The rows of a bucket that go into an update: purged ones do not (Nutch rule 10.1).
SELECT * FROM crawldb
WHERE NOT ($purge_404 AND status = 'db_gone') AND NOT ($purge_orphans AND status = 'db_orphan')
