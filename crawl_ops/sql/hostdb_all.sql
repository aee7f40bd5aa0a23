-- All hosts of a bucket, known or not.
SELECT host FROM hostdb UNION SELECT host FROM counted UNION SELECT host FROM asked UNION SELECT host FROM robots_seen
