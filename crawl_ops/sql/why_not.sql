-- Why a URL has no page: what the crawldb says of it, or what passed it over since; of others, what refused them.
-- What segments that are not folded in yet have of it (open_generate, open_fetch) is newer than the crawldb.
WITH refused AS (
    SELECT k, url, segment, step, concat_ws(': ', rule, detail) AS why, time
    FROM rejected
    -- A window, which spills to disk: an aggregate would hold the texts of all refused URLs. That a
    -- link was refused says nothing of a URL that is known all the same.
    QUALIFY row_number() OVER (
        PARTITION BY k ORDER BY step = 'parse', time DESC, segment, step, rule, detail, url
    ) = 1
),
asked AS (
    SELECT k, url, segment, fetch_status, why
    FROM (
        SELECT k, url, segment, NULL AS fetch_status, NULL AS why, NULL AS time FROM open_generate
        UNION ALL BY NAME
        SELECT k, url, segment, fetch_status, coalesce(reason, protocol_status) AS why, fetch_time AS time
        FROM open_fetch
    )
    QUALIFY row_number() OVER (
        PARTITION BY k ORDER BY segment DESC, fetch_status IS NULL, time DESC, url
    ) = 1
),
told AS (
    SELECT
        crawldb.* EXCLUDE (k, url, segment),
        coalesce(crawldb.url, refused.url, asked.url)                            AS url,
        crawldb.segment                                                          AS decided,
        asked.segment                                                            AS asking,
        fetch_status,
        asked.why                                                                AS answer,
        refused.segment                                                          AS refusing,
        step,
        refused.why,
        coalesce(
            status = 'db_unfetched' AND step <> 'parse' AND time > coalesce(fetched_time, '-infinity'),
            false
        )                                                                        AS is_passed_over,
        asking IS NOT NULL AND (
            NOT is_passed_over OR asking > refusing OR (asking = refusing AND fetch_status IS NOT NULL)
        )                                                                        AS is_open
    FROM crawldb FULL JOIN refused USING (k) FULL JOIN asked USING (k)
    WHERE status IS NULL OR status NOT IN ('db_fetched', 'db_notmodified')
)
SELECT
    status,
    url,
    CASE
        WHEN is_open AND fetch_status IS NULL
            THEN concat_ws(': ', 'selected in an open segment, not asked for yet', reason)
        WHEN is_open
            THEN concat_ws(': ', 'asked for in an open segment, not folded in yet', fetch_status, answer)
        WHEN status IS NULL                           THEN concat('refused by ', step, ': ', why)
        WHEN is_passed_over AND step = 'fetch'        THEN concat('passed over in the last fetch: ', why)
        WHEN is_passed_over                           THEN concat('not selected: ', why)
        WHEN status = 'db_unfetched' AND fetched_time IS NULL
            THEN concat_ws(': ', 'not selected yet', reason)
        ELSE coalesce(reason, protocol_status)
    END                                                                          AS reason,
    CASE
        WHEN is_open                                  THEN asking
        WHEN status IS NULL OR is_passed_over         THEN refusing
        ELSE decided
    END                                                                          AS segment
FROM told
