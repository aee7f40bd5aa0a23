-- The rows that hosts have so far.
SELECT * FROM hostdb SEMI JOIN said USING (host)
