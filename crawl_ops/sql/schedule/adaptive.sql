-- AdaptiveFetchSchedule (Nutch rule 11): shorter for what changes, longer for what does not.
-- Arguments as in default.sql; rules has the properties db.fetch.schedule.adaptive.* too.
-- fixed_s: seconds of metadata fixedInterval, or NULL; it has no bounds and is never shifted.
CREATE OR REPLACE TEMP MACRO adaptive_modified(state, fetched, modified) AS
    if(state = 'modified' OR modified IS NULL, fetched, modified);

CREATE OR REPLACE TEMP MACRO adaptive_delta_ms(state, fetched, modified) AS
    epoch_ms(fetched) - epoch_ms(adaptive_modified(state, fetched, modified));

CREATE OR REPLACE TEMP MACRO adaptive_changed_s(state, interval_s, rules) AS
    if(interval_s = 0, rules.interval_default, interval_s) * CASE state
        WHEN 'modified'    THEN 1.0::DOUBLE - rules.dec_rate
        WHEN 'notmodified' THEN 1.0::DOUBLE + rules.inc_rate
        ELSE 1.0::DOUBLE
    END;

CREATE OR REPLACE TEMP MACRO adaptive_synced_s(wanted_s, delta_ms, rules) AS
    if(rules.sync_delta AND delta_ms > wanted_s * 1000, (delta_ms // 1000)::DOUBLE, wanted_s);

CREATE OR REPLACE TEMP MACRO adaptive_bounded_s(wanted_s, rules) AS
    greatest(rules.min_interval, least(rules.max_interval, wanted_s));

-- Whole division on purpose: beyond the longest interval nothing is shifted unless the rate is 1.
CREATE OR REPLACE TEMP MACRO adaptive_shift_ms(delta_ms, rules) AS CASE
    WHEN NOT rules.sync_delta THEN 0
    WHEN delta_ms > 0 AND floor(delta_ms * rules.sync_delta_rate + 0.5) > rules.max_interval * 1000
        THEN (floor(delta_ms * rules.sync_delta_rate + 0.5)::BIGINT // delta_ms)
            * (rules.max_interval * 1000)::BIGINT
    ELSE floor(delta_ms * rules.sync_delta_rate + 0.5)::BIGINT
END;

CREATE OR REPLACE TEMP MACRO adaptive_plan(wanted_s, shift_ms, fetched, modified) AS {
    'interval_s': floor(wanted_s + 0.5)::BIGINT,
    'fetch_time': fetched + to_milliseconds(floor(wanted_s * 1000 + 0.5)::BIGINT - shift_ms),
    'modified_time': modified
};

CREATE OR REPLACE TEMP MACRO next_fetch(state, fetched, modified, interval_s, fixed_s, rules) AS CASE
    WHEN fixed_s IS NOT NULL THEN adaptive_plan(fixed_s, 0, fetched, modified)
    ELSE adaptive_plan(
        adaptive_bounded_s(
            adaptive_synced_s(
                adaptive_changed_s(state, interval_s, rules),
                adaptive_delta_ms(state, fetched, modified),
                rules
            ),
            rules
        ),
        adaptive_shift_ms(adaptive_delta_ms(state, fetched, modified), rules),
        fetched,
        adaptive_modified(state, fetched, modified)
    )
END;
