-- OPIC (Nutch rule 12): a page's score grows by the shares of the pages that link to it.
CREATE OR REPLACE TEMP MACRO updated_score(own, links) AS
    greatest(-1e30::FLOAT, least(1e30::FLOAT, own + links));
