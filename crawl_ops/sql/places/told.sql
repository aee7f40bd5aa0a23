-- The place of a selected URL among those of its host: as it was told before.
CREATE OR REPLACE TEMP MACRO place_of(place, host, sort_value, url) AS place;
