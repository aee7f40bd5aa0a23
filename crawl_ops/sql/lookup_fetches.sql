-- Every fetch of one URL, with segment and file; newest segment first.
SELECT * FROM fetches WHERE k = $k::UBIGINT ORDER BY segment DESC, fetch_time, attempt
