-- The anchors of links to pages that are added: each once a source host, by its first source.
SELECT k, anchor, min(from_url) AS from_url
FROM linkdb SEMI JOIN (SELECT k FROM decided WHERE action = 'add') AS added USING (k)
WHERE anchor <> ''
GROUP BY k, from_host, anchor
