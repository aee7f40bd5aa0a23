-- The slots that have pages to mark.
SELECT DISTINCT slot FROM losers ORDER BY slot
