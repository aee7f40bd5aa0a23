-- DefaultFetchSchedule (Nutch rule 11): the interval stays as it is.
-- state: modified, notmodified, unknown. modified_time: NULL where it is not known.
-- rules: struct of interval_default and interval_max (seconds) and what other schedules need.
CREATE OR REPLACE TEMP MACRO schedule_interval(interval_s, rules) AS
    if(interval_s = 0, rules.interval_default, interval_s);

CREATE OR REPLACE TEMP MACRO next_fetch(state, fetched, modified, interval_s, fixed_s, rules) AS {
    'interval_s': schedule_interval(interval_s, rules),
    'fetch_time': fetched + to_seconds(schedule_interval(interval_s, rules)),
    'modified_time': if(state = 'modified' OR modified IS NULL, fetched, modified)
};
