-- The pages to add that some part files hold.
SELECT
    d.url,
    d.host,
    d.domain,
    p.title,
    t.text,
    d.fetch_time,
    d.modified_time,
    d.score,
    p.signature,
    p.content_type,
    p.language,
    p.noarchive,
    a.anchors,
    p.metadata                                      AS parse_metadata,
    d.db_metadata,
    h.headers
FROM (SELECT * FROM decided WHERE action = 'add') AS d
JOIN texts AS t ON t.k = d.k AND t.attempt = d.attempt
JOIN pages AS p ON p.k = d.k AND p.attempt = d.attempt AND p.fetch_time = d.parsed_time
LEFT JOIN (
    SELECT k, list(anchor ORDER BY from_url, anchor) AS anchors
    FROM anchors SEMI JOIN (SELECT k FROM pages) AS here USING (k)
    GROUP BY k
) AS a ON a.k = d.k
LEFT JOIN (SELECT k, attempt, fetch_time, headers FROM headers_of) AS h
    ON h.k = d.k AND h.attempt = d.attempt AND h.fetch_time = d.parsed_time
ORDER BY d.url, t.text
