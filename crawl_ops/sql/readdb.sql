-- Records of the crawldb as readdb shows them, by host and URL.
SELECT
    url,
    status,
    strftime(fetch_time AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ')    AS fetch_time,
    strftime(modified_time AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ') AS modified_time,
    interval_s                                                          AS interval,
    retries,
    score,
    lower(hex(signature))                                               AS signature,
    metadata
FROM crawldb
ORDER BY host, url
