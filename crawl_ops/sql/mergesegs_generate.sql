-- Each URL's place in the fetch lists once, as one list: that of the fetch that stays, else the newest.
WITH chosen AS (
    SELECT generated.*
    FROM generated LEFT JOIN winners ON winners.k = generated.k
    QUALIFY row_number() OVER (
        PARTITION BY generated.k
        ORDER BY
            coalesce(generated.segment = winners.segment, false) DESC,
            generated.segment DESC,
            generated.list,
            generated.position
    ) = 1
)
SELECT
    * EXCLUDE (segment) REPLACE (
        0::SMALLINT                                                               AS list,
        (row_number() OVER (ORDER BY segment, list, position, url) - 1)::INTEGER AS position
    )
FROM chosen
ORDER BY position
