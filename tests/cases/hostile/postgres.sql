--- forbidden: inserts a row
INSERT INTO item VALUES (9999, 'planted', 1.0)
--- forbidden, query_error: inserts behind a CTE
WITH planted AS (INSERT INTO item VALUES (9999, 'planted', 1.0) RETURNING *) SELECT * FROM planted
--- forbidden: updates every row
UPDATE item SET price = 0
--- forbidden: deletes every row
DELETE FROM item
--- forbidden, query_error: deletes behind a CTE
WITH doomed AS (DELETE FROM item RETURNING id) SELECT count(*) FROM doomed
--- forbidden: merges
MERGE INTO item USING item AS other ON false WHEN NOT MATCHED THEN INSERT VALUES (9999, 'planted', 1)
--- forbidden: drops a table
DROP TABLE item
--- forbidden: truncates a table
TRUNCATE item
--- forbidden: creates a table
CREATE TABLE planted AS SELECT * FROM item
--- forbidden: creates a temporary table
CREATE TEMP TABLE planted AS SELECT * FROM item
--- forbidden, query_error: selects into a table
SELECT * INTO planted FROM item
--- forbidden: creates a function
CREATE FUNCTION planted() RETURNS int LANGUAGE sql AS 'SELECT 1'
--- forbidden: creates an extension
CREATE EXTENSION dblink
--- forbidden: alters a role
ALTER ROLE owner WITH PASSWORD 'planted'
--- forbidden: grants
GRANT ALL ON item TO PUBLIC
--- forbidden: writes a file
COPY item TO '/tmp/schemalink-hostile.csv'
--- forbidden: starts a program
COPY item TO PROGRAM 'touch /tmp/schemalink-hostile.txt'
--- forbidden: runs code
DO $$ BEGIN DELETE FROM item; END $$
--- forbidden: calls a procedure
CALL planted()
--- forbidden: sets a session up for writing
SET default_transaction_read_only = off
--- forbidden: sets a transaction up for writing
SET TRANSACTION READ WRITE
--- forbidden: ends the transaction
COMMIT
--- forbidden: ends the transaction and writes
SELECT 1; COMMIT; SET default_transaction_read_only = off; DELETE FROM item
--- forbidden: drops after a query
SELECT 1; DROP TABLE item
--- forbidden: lifts the limit by a function
SELECT set_config('statement_timeout', '0', false)
--- forbidden: lifts the protection by a function
SELECT set_config('transaction_read_only', 'off', false) FROM item
--- forbidden: lifts the protection by a function with blanks
SELECT SET_CONFIG  ('default_transaction_read_only', 'off', false)
--- forbidden: lifts the protection by a quoted function
SELECT "set_config"('transaction_read_only', 'off', false)
--- forbidden: lifts the protection by a function with a comment
SELECT set_config/* */('transaction_read_only', 'off', false)
--- forbidden: lifts the protection by a qualified function
SELECT pg_catalog.set_config('transaction_read_only', 'off', false)
--- forbidden: reads a file
SELECT pg_read_file('/etc/passwd')
--- forbidden: lists files
SELECT * FROM pg_ls_dir('/etc')
--- forbidden: imports a file
SELECT lo_import('/etc/passwd')
--- forbidden: writes a large object
SELECT lo_from_bytea(0, 'planted')
--- forbidden: ends other sessions
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
--- forbidden: locks others out
SELECT pg_advisory_lock(1)
--- forbidden: runs a text
SELECT query_to_xml('SELECT 1', true, false, '')
--- forbidden: steps a sequence
SELECT nextval('counter')
--- forbidden, query_error: locks rows
SELECT * FROM item FOR UPDATE
--- forbidden: locks a table
LOCK TABLE item
--- forbidden: notifies
NOTIFY planted
--- timeout: sleeps
SELECT pg_sleep(60)
--- timeout: sleeps for each row
SELECT pg_sleep(0.2) FROM item
--- timeout: counts for ever
WITH RECURSIVE n(i) AS (SELECT 1::numeric UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
--- timeout: a cross join of five
SELECT sum(a.price * b.price) FROM item a, item b, item c, item d, item e
--- timeout, too_large: sorts a cross join
SELECT a.name, b.name, c.name FROM item a, item b, item c ORDER BY a.price + b.price * c.price
--- timeout, too_large: all rows of a cross join
SELECT * FROM item a, item b, item c
--- too_large: a gigabyte of one sign
SELECT repeat('x', 1073741824)
--- timeout, too_large: megabytes in each row
SELECT repeat('x', 10000000) FROM item
--- timeout, too_large: a list of millions
SELECT array_agg(i) FROM generate_series(1, 100000000) i
--- ok: a list, a map, a day
SELECT ARRAY[1, 2], '{"b": [1], "a": 2}'::jsonb, DATE '2020-01-02', 1.50::numeric, 'NaN'::float8
--- ok: a percent sign
SELECT name FROM item WHERE name LIKE '%7' LIMIT 1
--- ok: VALUES
VALUES (1), (2)
--- empty_query: only a comment
-- DROP TABLE item
--- query_error: not a language
Sure! Here is the query you asked for.
--- query_error: a table that is not there
SELECT * FROM nowhere
--- query_error: a parameter
SELECT * FROM item WHERE id = $1
