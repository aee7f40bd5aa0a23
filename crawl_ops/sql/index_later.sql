-- When another segment added a page to the index, or took it out.
SELECT k, fetch_time
FROM (
    SELECT
        f.k,
        f.fetch_time,
        asked_of_index(f, p, t.k IS NOT NULL, $rules) AS asked
    FROM (SELECT * FROM other_fetch SEMI JOIN contested USING (k)) AS f
    LEFT JOIN other_data AS p ON p.k = f.k AND p.attempt = f.attempt
    LEFT JOIN (SELECT DISTINCT k, attempt FROM other_text) AS t ON t.k = f.k AND t.attempt = f.attempt
)
WHERE asked IN ('add', 'delete')
