-- No OPIC in scoring.filter.order: links leave scores alone.
CREATE OR REPLACE TEMP MACRO updated_score(own, links) AS own;
