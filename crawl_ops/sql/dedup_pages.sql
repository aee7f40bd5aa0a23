-- Pages that are compared at once: all of some signatures.
SELECT * FROM candidates WHERE part BETWEEN $first::UBIGINT AND $last::UBIGINT
