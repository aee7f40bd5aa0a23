-- The fetches of one segment that stay.
SELECT k, attempt, via, list, fetch_time FROM winners WHERE segment = $segment
