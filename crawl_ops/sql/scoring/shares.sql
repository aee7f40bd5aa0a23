-- Shares of scores as exact whole numbers: their sum does not depend on the order of the links.
CREATE OR REPLACE TEMP MACRO bounded_share(share) AS
    if(isfinite(share), greatest(-1e30::FLOAT, least(1e30::FLOAT, share)), 0::FLOAT);

-- From 2^24 on a 32-bit float is a whole number; smaller ones are counted in units of 2^-72.
CREATE OR REPLACE TEMP MACRO summed_shares(share) AS greatest(-1e30, least(1e30,
    coalesce(sum(CASE WHEN abs(share) >= 16777216 THEN share::HUGEINT END), 0)::DOUBLE
    + coalesce(
        sum(CASE WHEN abs(share) < 16777216 THEN (share::DOUBLE * 4722366482869645213696)::HUGEINT END), 0
    )::DOUBLE / 4722366482869645213696
))::FLOAT;

-- updatedb_linked's way: links from a seed, and the maximum that goes with them.
CREATE OR REPLACE TEMP MACRO way_depth(way) AS ((way + 2147483647) // 2147483648)::INTEGER;
CREATE OR REPLACE TEMP MACRO way_max_depth(way) AS
    nullif((way + 2147483647) // 2147483648 * 2147483648 - way, 0)::INTEGER;
