-- Targets of links, and what links make of those that are known. row: place in the bucket's file.
SELECT
    k,
    share,
    kind,
    way,
    known,
    slot,
    row,
    new_score                                                                           AS score,
    new_depth                                                                           AS depth,
    new_max_depth                                                                       AS max_depth,
    new_score <> score
        OR new_depth IS DISTINCT FROM depth
        OR new_max_depth IS DISTINCT FROM max_depth                                     AS differs
FROM (
    SELECT
        link.k,
        link.share,
        link.kind,
        link.way,
        old.k IS NOT NULL                                                               AS known,
        old.slot,
        old.row,
        old.score,
        old.depth,
        old.max_depth,
        updated_score(old.score, link.share)                                            AS new_score,
        way_depth(link.way) < coalesce(old.depth, 2147483647)                           AS nearer,
        if(nearer, way_depth(link.way), old.depth)                                      AS new_depth,
        if(nearer, way_max_depth(link.way), old.max_depth)                              AS new_max_depth
    FROM linked AS link LEFT JOIN known AS old ON old.k = link.k
)
