-- A piece of one fetch list in the order of its positions: hosts interleaved, best URLs of each
-- host first.
SELECT *, row_number() OVER () - 1 + $position AS position
FROM (
    SELECT *
    FROM emitted
    WHERE list = $list
        AND rank_in_host BETWEEN $first_rank AND $last_rank
        AND ($after::VARCHAR IS NULL OR host > $after::VARCHAR)
        AND ($last::VARCHAR IS NULL OR host <= $last::VARCHAR)
    ORDER BY rank_in_host, host
)
