-- Known URLs that links alone have changed, with score and depth as they are then.
SELECT k, slot, row, score, depth, max_depth FROM matched ANTI JOIN outcome USING (k) WHERE known AND differs
