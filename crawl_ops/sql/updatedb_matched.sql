-- Targets of links, with what links may change of those that are known.
SELECT
    link.k,
    link.share,
    link.kind,
    link.way,
    old.k IS NOT NULL AS known,
    old.slot,
    old.score,
    old.depth,
    old.max_depth
FROM linked AS link LEFT JOIN known AS old ON old.k = link.k
