-- The candidates of a bucket by sort value, with the lowest value of each bin.
SELECT bin, n, lowest FROM judged WHERE NOT by_key AND outcome = 'candidate'
