-- Duplicates that leave the index.
SELECT url FROM leaving
