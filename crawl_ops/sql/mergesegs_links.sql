-- The links of some files whose page's fetch stays, sorted as readers expect.
SELECT *
FROM rows
WHERE EXISTS (SELECT 1 FROM kept WHERE kept.k = rows.from_k AND kept.attempt = rows.attempt)
    OR EXISTS (SELECT 1 FROM unfetched WHERE unfetched.from_k = rows.from_k AND unfetched.segment = $segment)
ORDER BY slot, k, from_url, position, kind, to_url
