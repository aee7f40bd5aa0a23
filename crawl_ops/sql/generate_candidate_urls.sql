-- All candidates, for the filters.
SELECT k, url FROM candidates
