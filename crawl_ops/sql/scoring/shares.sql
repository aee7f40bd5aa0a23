-- Shares of scores as exact whole numbers: their sum does not depend on the order of the links.
CREATE OR REPLACE TEMP MACRO bounded_share(share) AS if(
    abs(share) <= 1e30::FLOAT,
    share,
    if(isfinite(share), greatest(-1e30::FLOAT, least(1e30::FLOAT, share)), 0::FLOAT)
);

-- Almost all shares are between 2^-24 and 2^14 (or nothing): whole numbers in units of 2^-48, which
-- 64 bits hold. From 2^24 on a 32-bit float is a whole number; others are counted in units of 2^-72.
CREATE OR REPLACE TEMP MACRO is_usual(share) AS
    (abs(share) < 16384 AND abs(share) >= 5.9604644775390625e-8 OR share = 0);
CREATE OR REPLACE TEMP MACRO summed_shares(share) AS greatest(-1e30, least(1e30,
    coalesce(sum(if(abs(share) >= 16777216, share::HUGEINT, NULL)), 0)::DOUBLE
    + coalesce(sum(if(is_usual(share), (share::DOUBLE * 281474976710656)::BIGINT, NULL)), 0)::DOUBLE
        / 281474976710656
    + coalesce(sum(if(
        is_usual(share) OR abs(share) >= 16777216,
        NULL,
        (share::DOUBLE * 4722366482869645213696)::HUGEINT
    )), 0)::DOUBLE / 4722366482869645213696
))::FLOAT;

-- What says most of how a URL was found, first.
CREATE OR REPLACE TEMP MACRO link_order(kind) AS CASE kind
    WHEN 'link' THEN 1 WHEN 'feed' THEN 2 WHEN 'sitemap' THEN 3
    WHEN 'redirect' THEN 4 WHEN 'refresh' THEN 5 ELSE 6
END;

-- Fewest links from a seed first, then the furthest maximum, as one number.
CREATE OR REPLACE TEMP MACRO link_way(depth, max_depth) AS
    depth::BIGINT * 2147483648 - coalesce(max_depth, 0);

-- A way again: links from a seed, and the maximum that goes with them.
CREATE OR REPLACE TEMP MACRO way_depth(way) AS ((way + 2147483647) // 2147483648)::INTEGER;
CREATE OR REPLACE TEMP MACRO way_max_depth(way) AS
    nullif((way + 2147483647) // 2147483648 * 2147483648 - way, 0)::INTEGER;
