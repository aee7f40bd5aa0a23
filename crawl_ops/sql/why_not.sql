-- Why a URL has no page: what the crawldb says of it or passed it over since; of others, what refused them.
WITH noted AS (
    SELECT
        k, step, time,
        {'url': url, 'segment': segment, 'why': concat_ws(': ', rule, detail), 'step': step, 'time': time} AS note
    FROM rejected
),
refused AS (
    SELECT
        k,
        arg_max(note, time)                                                      AS refusal,
        arg_max(note, time) FILTER (step IN ('generate', 'fetch'))               AS passed_over
    FROM noted
    GROUP BY k
),
told AS (
    SELECT
        crawldb.* EXCLUDE (k, url),
        coalesce(crawldb.url, refusal.url)                                       AS url,
        refusal,
        passed_over,
        coalesce(
            status = 'db_unfetched' AND passed_over.time > coalesce(fetched_time, '-infinity'), false
        )                                                                        AS is_passed_over
    FROM crawldb FULL JOIN refused USING (k)
    WHERE status IS NULL OR status NOT IN ('db_fetched', 'db_notmodified')
)
SELECT
    status,
    url,
    CASE
        WHEN status IS NULL
            THEN concat('refused by ', refusal.step, ': ', refusal.why)
        WHEN is_passed_over AND passed_over.step = 'fetch'
            THEN concat('passed over in the last fetch: ', passed_over.why)
        WHEN is_passed_over
            THEN concat('not selected: ', passed_over.why)
        WHEN status = 'db_unfetched' AND fetched_time IS NULL
            THEN concat_ws(': ', 'not asked for yet', reason)
        ELSE coalesce(reason, protocol_status)
    END                                                                          AS reason,
    CASE
        WHEN status IS NULL THEN refusal.segment
        WHEN is_passed_over THEN passed_over.segment
        ELSE segment
    END                                                                          AS segment
FROM told
