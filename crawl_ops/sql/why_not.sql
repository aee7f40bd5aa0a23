-- Why a URL has no page: what the crawldb says of it or passed it over since; of others, what refused them.
WITH refused AS (
    SELECT k, url, segment, step, concat_ws(': ', rule, detail) AS why, time
    FROM rejected
    -- A window, which spills to disk: an aggregate would hold the texts of all refused URLs. That a
    -- link was refused says nothing of a URL that is known all the same.
    QUALIFY row_number() OVER (
        PARTITION BY k ORDER BY step = 'parse', time DESC, segment, step, rule, detail, url
    ) = 1
),
told AS (
    SELECT
        crawldb.* EXCLUDE (k, url, segment),
        coalesce(crawldb.url, refused.url)                                       AS url,
        crawldb.segment                                                          AS decided,
        refused.segment                                                          AS refusing,
        step,
        why,
        coalesce(
            status = 'db_unfetched' AND step <> 'parse' AND time > coalesce(fetched_time, '-infinity'),
            false
        )                                                                        AS is_passed_over
    FROM crawldb FULL JOIN refused USING (k)
    WHERE status IS NULL OR status NOT IN ('db_fetched', 'db_notmodified')
)
SELECT
    status,
    url,
    CASE
        WHEN status IS NULL                           THEN concat('refused by ', step, ': ', why)
        WHEN is_passed_over AND step = 'fetch'        THEN concat('passed over in the last fetch: ', why)
        WHEN is_passed_over                           THEN concat('not selected: ', why)
        WHEN status = 'db_unfetched' AND fetched_time IS NULL
            THEN concat_ws(': ', 'not asked for yet', reason)
        ELSE coalesce(reason, protocol_status)
    END                                                                          AS reason,
    if(status IS NULL OR is_passed_over, refusing, decided)                      AS segment
FROM told
