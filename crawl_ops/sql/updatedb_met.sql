-- What links may change of the URLs that are known.
SELECT k, score, depth, max_depth FROM known SEMI JOIN linked USING (k)
