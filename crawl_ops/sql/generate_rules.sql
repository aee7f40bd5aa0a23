-- What speaks against a URL, or 'candidate': what generate asks of every row of the crawldb.
CREATE OR REPLACE TEMP MACRO sort_value_of(score, depth, max_depth, rules) AS (score * CASE
    WHEN rules.depth_scoring
        THEN (1 + coalesce(max_depth, rules.depth_max) - coalesce(depth, 1))::FLOAT
    ELSE 1::FLOAT
END)::FLOAT;

-- url_key: k, by a name that the tables have not.
CREATE OR REPLACE TEMP MACRO outcome_of(
    url_key, fetch_time, status, sort_value, interval_s, rules
) AS CASE
    WHEN is_strange(url_key)                                                     THEN 'unknown_scheme'
    WHEN fetch_time > rules.cur_time
        AND fetch_time <= rules.cur_time + to_seconds(rules.interval_max)        THEN 'not_due'
    WHEN is_marked(url_key)                                                      THEN 'in_open_segment'
    WHEN is_refused(url_key)                                                     THEN 'urlfilter'
    WHEN rules.restrict_status <> '' AND status <> rules.restrict_status         THEN 'generate.restrict.status'
    WHEN sort_value < rules.min_score::FLOAT                                     THEN 'generate.min.score'
    WHEN rules.min_interval <> -1 AND interval_s > rules.min_interval            THEN 'generate.min.interval'
    ELSE 'candidate'
END;

-- Sort values in their order as whole numbers, a percent apart; all that are next to nothing are one.
CREATE OR REPLACE TEMP MACRO bin_of(sort_value) AS
    if(sort_value > 1e-30::FLOAT, floor(log2(sort_value) * 64), -10000)::INTEGER;
