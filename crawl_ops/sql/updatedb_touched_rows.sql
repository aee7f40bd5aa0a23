-- What the crawldb has of the targets of a small round, with few columns: all of it is read for it.
SELECT
    stored.k,
    targets.slot,
    NULL::BIGINT AS row,
    stored.score,
    stored.depth,
    stored.max_depth,
    stored.fetched_time,
    stored.content_type
FROM stored JOIN targets ON targets.k = stored.k
