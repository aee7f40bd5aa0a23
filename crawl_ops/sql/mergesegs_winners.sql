-- Of each URL in the segments merged, the fetch that stays: the newest that brought an answer. A failed
-- try and a 304 leave the page of an older fetch as it is (Nutch's SegmentMerger, NUTCH-1113, NUTCH-1520).
WITH counted AS (
    SELECT segment, k, attempt, via, list, fetch_status, fetch_time
    FROM fetches
    -- Of several attempts in a segment the one that counts everywhere.
    QUALIFY attempt = first_value(attempt) OVER (
        PARTITION BY segment, k ORDER BY (fetch_status = 'fetch_success') DESC, fetch_time, attempt
    )
)
SELECT segment, k, attempt, via, list, fetch_time
FROM counted
QUALIFY row_number() OVER (
    PARTITION BY k
    ORDER BY
        fetch_status IN ('fetch_retry', 'fetch_notmodified'),
        fetch_time DESC,
        segment DESC,
        via IS NOT NULL,
        via,
        list
) = 1
