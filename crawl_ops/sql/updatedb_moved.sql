-- Known URLs that links alone have changed, with score and depth as they are then.
SELECT k, slot, new_score AS score, new_depth AS depth, new_max_depth AS max_depth
FROM (
    SELECT
        *,
        updated_score(score, share)                                                 AS new_score,
        least(depth, way_depth(way))                                                AS new_depth,
        if(way_depth(way) < coalesce(depth, 2147483647), way_max_depth(way), max_depth) AS new_max_depth
    FROM matched ANTI JOIN outcome USING (k)
    WHERE known
)
WHERE new_score <> score OR new_depth IS DISTINCT FROM depth OR new_max_depth IS DISTINCT FROM max_depth
