-- URLs of the index, some at a time.
SELECT url FROM some_ids
