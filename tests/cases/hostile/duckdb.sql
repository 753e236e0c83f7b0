--- forbidden: inserts a row
INSERT INTO item VALUES (9999, 'planted', 1.0)
--- forbidden: updates every row
UPDATE item SET price = 0
--- forbidden: deletes every row
DELETE FROM item
--- forbidden: deletes behind a CTE
WITH doomed AS (SELECT id FROM item) DELETE FROM item WHERE id IN (FROM doomed)
--- forbidden: drops a table
DROP TABLE item
--- forbidden: creates a table
CREATE TABLE planted AS SELECT * FROM item
--- forbidden: creates a temporary table
CREATE TEMP TABLE planted AS SELECT * FROM item
--- forbidden: creates a macro
CREATE MACRO planted(x) AS x + 1
--- forbidden: creates a secret
CREATE SECRET planted (TYPE s3, KEY_ID 'a', SECRET 'b')
--- forbidden: renames a table
ALTER TABLE item RENAME TO taken
--- forbidden: truncates a table
TRUNCATE item
--- forbidden: writes a file
COPY item TO '/tmp/schemalink-hostile.csv'
--- forbidden: writes a query to a file
COPY (SELECT 42) TO '/tmp/schemalink-hostile.parquet' (FORMAT parquet)
--- forbidden: reads a file into a table
COPY item FROM '/etc/passwd'
--- forbidden: exports the database
EXPORT DATABASE '/tmp/schemalink-hostile'
--- forbidden: imports a database
IMPORT DATABASE '/tmp/schemalink-hostile'
--- forbidden: attaches a file
ATTACH '/tmp/schemalink-hostile.duckdb' AS planted
--- forbidden: attaches memory
ATTACH ':memory:' AS planted
--- forbidden: detaches the database
DETACH shop
--- forbidden: installs an extension
INSTALL httpfs
--- forbidden: loads an extension
LOAD '/tmp/schemalink-hostile.duckdb_extension'
--- forbidden: changes a setting
SET memory_limit = '100GB'
--- forbidden: changes a setting by pragma
PRAGMA memory_limit = '100GB'
--- forbidden: lets files in
SET enable_external_access = true
--- forbidden: unlocks the settings
RESET lock_configuration
--- forbidden: switches the profiler to a file
PRAGMA profiling_output = '/tmp/schemalink-hostile.json'
--- forbidden: writes a checkpoint
CHECKPOINT
--- forbidden: writes a checkpoint by force
FORCE CHECKPOINT
--- forbidden: rebuilds
VACUUM
--- forbidden: opens a transaction
BEGIN TRANSACTION
--- forbidden: uses another schema
USE temp
--- forbidden: prepares a statement
PREPARE planted AS SELECT 1
--- forbidden: calls a function
CALL pragma_version()
--- forbidden: sets a variable
SET VARIABLE planted = 1
--- forbidden: two statements
SELECT 1; SELECT 2
--- forbidden: drops after a query
SELECT 1; DROP TABLE item
--- forbidden: reads a file of passwords
SELECT * FROM read_csv('/etc/passwd', header = false, columns = {'a': 'VARCHAR'})
--- forbidden: reads a text
SELECT content FROM read_text('/etc/passwd')
--- forbidden: reads bytes
SELECT content FROM read_blob('/proc/self/environ')
--- forbidden, query_error: reads a file by its name
SELECT * FROM '/etc/passwd.csv'
--- forbidden, query_error: reads from the web
SELECT * FROM 'https://example.org/planted.parquet'
--- forbidden: lists files
SELECT * FROM glob('/etc/*')
--- query_error: steps a sequence
SELECT nextval('counter')
--- query_error: asks the environment
SELECT getenv('HOME')
--- timeout: counts for ever
SELECT count(*) FROM range(1000000000000)
--- timeout: recurses for ever
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
--- timeout: a cross join of five
SELECT sum(a.price * b.price) FROM item a, item b, item c, item d, item e
--- timeout, too_large: sorts a cross join
SELECT a.name, b.name, c.name FROM item a, item b, item c ORDER BY a.price + b.price * c.price
--- timeout, too_large: distinct rows of a cross join
SELECT DISTINCT a.name || b.name || c.name FROM item a, item b, item c
--- timeout, too_large: gathers a cross join in one text
SELECT string_agg(a.name || b.name, '-') FROM item a, item b, item c
--- timeout, too_large: gathers a cross join in one list
SELECT list(a.name || b.name) FROM item a, item b, item c
--- timeout, too_large: all rows of a cross join
SELECT * FROM item a, item b, item c
--- timeout, too_large: a gigabyte of one sign
SELECT repeat('x', 1000000000)
--- timeout, too_large: a gigabyte in each row
SELECT repeat(name, 100000000) FROM item
--- timeout, too_large: a list of a billion
SELECT range(1000000000)
--- timeout, too_large: a list of lists
SELECT [range(10000) FOR x IN range(100000)]
--- timeout, too_large, query_error: pads to a gigabyte
SELECT lpad('x', 2000000000, 'y')
--- timeout, too_large, ok: an expression that is hard to match
SELECT regexp_matches(repeat('a', 5000000), '(a*)*(a*)*(a*)*b')
--- ok: a list, a map and a struct
SELECT [1, 2], MAP {'a': 1}, {'b': 2}, 'NaN'::DOUBLE
--- ok: FROM first
FROM item LIMIT 3
--- ok: the plan of a query
EXPLAIN SELECT * FROM item
--- ok: a description
DESCRIBE item
--- empty_query: only a comment
-- DROP TABLE item
--- query_error: not a language
Sure! Here is the query you asked for.
--- query_error: a table that is not there
SELECT * FROM nowhere
--- query_error: a parameter
SELECT * FROM item WHERE id = ?
