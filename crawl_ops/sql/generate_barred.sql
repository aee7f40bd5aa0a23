-- Keys that speak against a URL. The tables are looked up where it is asked; they must only be there,
-- with whatever rows, when it is made.
CREATE OR REPLACE TEMP MACRO is_strange(url_key) AS url_key IN (SELECT k FROM strange);
CREATE OR REPLACE TEMP MACRO is_marked(url_key) AS url_key IN (SELECT k FROM marked);
CREATE OR REPLACE TEMP MACRO is_refused(url_key) AS url_key IN (SELECT k FROM refused);
