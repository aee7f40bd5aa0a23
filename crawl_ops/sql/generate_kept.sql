-- The candidates of a bucket that their hosts may have.
SELECT k, slot, sort_value, host, domain
FROM capped ANTI JOIN beyond USING (k)
-- A redo follows the links of the depth before.
WHERE $everywhere OR k IN (SELECT k FROM led_to)
