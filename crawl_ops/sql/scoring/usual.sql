-- Shares of links where all are usual: as scoring/unusual, for a third of the state and of the time.
CREATE OR REPLACE TEMP MACRO linked_share(score) AS score;
CREATE OR REPLACE TEMP MACRO linked_shares(share) AS
    (coalesce(sum((share::DOUBLE * 281474976710656)::BIGINT), 0)::DOUBLE / 281474976710656)::FLOAT;
