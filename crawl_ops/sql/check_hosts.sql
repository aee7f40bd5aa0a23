-- Hosts that were asked in a run and did not answer once, though they had done so before it.
SELECT host
FROM hostdb ANTI JOIN answered USING (host)
WHERE last_good_time < $start::TIMESTAMPTZ
    AND last_fetch_time BETWEEN $start::TIMESTAMPTZ AND $end::TIMESTAMPTZ
    AND failed_fetches > 0
ORDER BY host
