-- How many pages a 304 confirmed, so that an older segment holds what they say of themselves.
SELECT count(*) AS n FROM pages ANTI JOIN described USING (k) WHERE status = 'db_notmodified'
