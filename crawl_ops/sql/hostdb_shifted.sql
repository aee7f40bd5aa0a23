-- URLs of a host by status: what it had, and by how much a segment changes that.
SELECT
    host,
    shift.domain,
    shift.slot,
    coalesce(old.unfetched, 0) + shift.unfetched                   AS unfetched,
    coalesce(old.fetched, 0) + shift.fetched                       AS fetched,
    coalesce(old.notmodified, 0) + shift.notmodified               AS notmodified,
    coalesce(old.redir_temp, 0) + shift.redir_temp                 AS redir_temp,
    coalesce(old.redir_perm, 0) + shift.redir_perm                 AS redir_perm,
    coalesce(old.gone, 0) + shift.gone                             AS gone,
    coalesce(old.duplicate, 0) + shift.duplicate                   AS duplicate,
    coalesce(old.orphan, 0) + shift.orphan                         AS orphan,
    coalesce(old.parse_failed, 0) + shift.parse_failed             AS parse_failed,
    coalesce(old.failing, 0) + shift.failing                       AS failing
FROM shifts AS shift LEFT JOIN hostdb AS old USING (host)
WHERE shift.slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
