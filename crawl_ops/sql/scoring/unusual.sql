-- Shares of links where some are not usual.
CREATE OR REPLACE TEMP MACRO linked_share(score) AS bounded_share(score);
CREATE OR REPLACE TEMP MACRO linked_shares(share) AS summed_shares(share);
