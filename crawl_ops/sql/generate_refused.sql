-- URLs that the filters refused while the lists were made.
SELECT * FROM refused ORDER BY url
