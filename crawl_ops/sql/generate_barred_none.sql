-- generate_barred where there are no such keys: to look each URL up costs, even in empty tables.
CREATE OR REPLACE TEMP MACRO is_strange(url_key) AS false;
CREATE OR REPLACE TEMP MACRO is_marked(url_key) AS false;
CREATE OR REPLACE TEMP MACRO is_refused(url_key) AS false;
