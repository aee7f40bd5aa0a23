-- What some files hold of the pages whose fetch stays.
SELECT * FROM rows SEMI JOIN (SELECT k, attempt FROM kept) AS pages USING (k, attempt)
