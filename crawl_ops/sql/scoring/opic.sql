-- OPIC (Nutch rule 12): a page's score grows by the shares of the pages that link to it. Bounded by
-- CASE: greatest and least take ten times as long.
CREATE OR REPLACE TEMP MACRO updated_score(own, links) AS CASE
    WHEN own + links > 1e30::FLOAT  THEN 1e30::FLOAT  -- NaN is greater than any number
    WHEN own + links < -1e30::FLOAT THEN -1e30::FLOAT
    ELSE own + links
END;
