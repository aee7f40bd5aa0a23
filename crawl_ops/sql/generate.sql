-- One fetch list, in the order of its positions.
SELECT * FROM emitted WHERE list = $list ORDER BY position
