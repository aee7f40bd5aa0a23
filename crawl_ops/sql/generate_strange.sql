-- URLs of a bucket that no fetcher knows the scheme of. Almost all begin with http: row groups
-- without others are skipped by these bounds (no scheme has a tilde).
SELECT k FROM crawldb WHERE url < 'htto~' AND NOT regexp_matches(left(url, 6), '^(file:|ftp:)')
UNION ALL
SELECT k FROM crawldb WHERE url >= 'httq'
