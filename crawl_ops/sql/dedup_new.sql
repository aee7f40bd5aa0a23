-- The pages that this dedup marks.
SELECT url FROM losers
