-- Hosts of a bucket that a segment says something of.
SELECT host FROM counted UNION SELECT host FROM asked UNION SELECT host FROM robots_seen
