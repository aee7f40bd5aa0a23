-- Scores, times and intervals of the whole crawldb. Quantiles are approximate (t-digest), as in Nutch.
SELECT
    min(score)                                                               AS score_min,
    round(avg(score::DOUBLE), 6)                                             AS score_avg,
    max(score)                                                               AS score_max,
    approx_quantile(score, [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99])        AS quantiles,
    strftime(min(fetch_time) AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ')    AS fetch_time_earliest,
    strftime(max(fetch_time) AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ')    AS fetch_time_latest,
    min(interval_s)                                                          AS interval_min,
    round(avg(interval_s))::BIGINT                                           AS interval_avg,
    max(interval_s)                                                          AS interval_max
FROM crawldb
