-- Known URLs that links alone have changed, with score and depth as they are then.
SELECT k, slot, new_score AS score, new_depth AS depth, new_max_depth AS max_depth
FROM (
    SELECT
        met.*,
        link.slot,
        updated_score(met.score, link.share)                                             AS new_score,
        least(met.depth, way_depth(link.way))                                            AS new_depth,
        if(way_depth(link.way) < coalesce(met.depth, 2147483647), way_max_depth(link.way), met.max_depth) AS new_max_depth
    FROM met JOIN linked AS link USING (k) ANTI JOIN outcome USING (k)
)
WHERE new_score <> score OR new_depth IS DISTINCT FROM depth OR new_max_depth IS DISTINCT FROM max_depth
