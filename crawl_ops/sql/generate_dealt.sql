-- The selected URLs with their lists, and their places among those of their hosts.
SELECT here.k, here.slot, here.sort_value, host_lists.list, here.place AS rank_in_host
FROM selected AS here
JOIN host_lists ON host_lists.key = if($by_domain, here.domain, here.host)
