-- How many pages of a segment have which action.
SELECT action, count(*) AS n FROM decided GROUP BY action ORDER BY action
