-- What both schedules do after a failure (Nutch rule 11). rules.interval_max: seconds.
CREATE OR REPLACE TEMP MACRO gone_interval(interval_s, rules) AS
    if(1.5 * interval_s < rules.interval_max, floor(1.5 * interval_s + 0.5), floor(0.9 * rules.interval_max + 0.5))::BIGINT;

CREATE OR REPLACE TEMP MACRO gone_fetch(fetched, modified, interval_s, rules) AS {
    'interval_s': gone_interval(interval_s, rules),
    'fetch_time': fetched + to_seconds(gone_interval(interval_s, rules)),
    'modified_time': modified
};

CREATE OR REPLACE TEMP MACRO retry_fetch(fetched, modified, interval_s) AS {
    'interval_s': interval_s::BIGINT,
    'fetch_time': fetched + to_seconds(86400),
    'modified_time': modified
};
