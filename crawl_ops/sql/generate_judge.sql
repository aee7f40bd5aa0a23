-- Every URL of a bucket, and whether it may be selected: outcome is 'candidate' or what speaks against it.
WITH judged AS (
    SELECT
        k,
        slot,
        url,
        host,
        domain,
        (score * CASE WHEN $depth_scoring
            THEN (1 + coalesce(max_depth, $depth_max) - coalesce(depth, 1))::FLOAT
            ELSE 1::FLOAT
        END)::FLOAT AS sort_value,
        CASE
            WHEN NOT regexp_matches(left(url, 6), '^(http|file:|ftp:)')    THEN 'unknown_scheme'
            WHEN fetch_time > $cur_time
                AND fetch_time <= $cur_time + to_seconds($interval_max)    THEN 'not_due'
            WHEN k IN (SELECT k FROM marked)                               THEN 'in_open_segment'
            WHEN k IN (SELECT k FROM refused)                              THEN 'urlfilter'
            WHEN $restrict_status <> '' AND status <> $restrict_status     THEN 'generate.restrict.status'
            WHEN sort_value < $min_score::FLOAT                            THEN 'generate.min.score'
            WHEN $min_interval <> -1 AND interval_s > $min_interval        THEN 'generate.min.interval'
            ELSE 'candidate'
        END AS outcome
    FROM crawldb
)
SELECT
    k,
    slot,
    url,
    host,
    domain,
    sort_value,
    CASE
        WHEN outcome = 'candidate' AND row_number() OVER (
            PARTITION BY outcome, if($by_domain, domain, host) ORDER BY sort_value DESC, url
        ) > $max_count THEN 'generate.max.count'
        ELSE outcome
    END AS outcome
FROM judged
