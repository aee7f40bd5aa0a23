-- How many seeds a slot has.
SELECT slot, count(*) AS n FROM seeds GROUP BY slot ORDER BY slot
