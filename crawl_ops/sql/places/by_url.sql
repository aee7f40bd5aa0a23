-- The place of a selected URL among those of its host: told by the text of the URLs of a bucket.
CREATE OR REPLACE TEMP MACRO place_of(place, host, sort_value, url) AS
    row_number() OVER (PARTITION BY host ORDER BY sort_value DESC, url);
