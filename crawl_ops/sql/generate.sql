-- One fetch list, in the order of its positions.
SELECT emitted.*, selected.url, selected.host, selected.domain, placed.list, placed.position
FROM emitted JOIN (SELECT * FROM placed WHERE list = $list) AS placed USING (k) JOIN selected USING (k)
ORDER BY placed.position
