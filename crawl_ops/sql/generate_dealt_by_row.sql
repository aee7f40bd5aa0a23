-- The selected URLs with their lists, and their places among those of their hosts as far as the
-- places of their rows tell them.
SELECT
    here.k,
    here.slot,
    here.sort_value,
    host_lists.list,
    row_number() OVER (PARTITION BY here.host ORDER BY here.sort_value DESC, here.row) AS rank_in_host
FROM selected AS here
JOIN host_lists ON host_lists.key = if($by_domain, here.domain, here.host)
