-- What updatedb reads from metadata, which is a JSON object or NULL.
-- Seconds between fetches that the schedule must not change (Nutch rule 11), or NULL.
CREATE OR REPLACE TEMP MACRO sane_seconds(seconds) AS
    if(isfinite(seconds) AND seconds > 0, least(seconds, 2147483647), NULL);
CREATE OR REPLACE TEMP MACRO fixed_interval(metadata) AS
    sane_seconds(TRY_CAST(json_extract_string(metadata, '$.fixedInterval') AS DOUBLE));

-- The listed keys of the parse metadata over the rest (db.parsemeta.to.crawldb).
CREATE OR REPLACE TEMP MACRO chosen_metadata(metadata, wanted) AS to_json(map_from_entries(list_filter(
    map_entries(from_json(metadata, '"MAP(VARCHAR, JSON)"')), lambda entry: list_contains(wanted, entry.key)
)))::VARCHAR;
CREATE OR REPLACE TEMP MACRO with_parse_metadata(metadata, parse_metadata, wanted) AS CASE
    WHEN len(wanted) = 0 OR parse_metadata IS NULL OR chosen_metadata(parse_metadata, wanted) = '{}' THEN metadata
    ELSE json_merge_patch(coalesce(metadata, '{}'), chosen_metadata(parse_metadata, wanted))::VARCHAR
END;
