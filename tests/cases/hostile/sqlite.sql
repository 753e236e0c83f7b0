--- forbidden: inserts a row
INSERT INTO item VALUES (9999, 'planted', 1.0, x'00')
--- forbidden: inserts behind a CTE
WITH planted(id) AS (SELECT 9999) INSERT INTO item(id) SELECT id FROM planted
--- forbidden: updates every row
UPDATE item SET price = 0
--- forbidden: updates behind a CTE
WITH all_of_it AS (SELECT id FROM item) UPDATE item SET price = 0 WHERE id IN all_of_it
--- forbidden: updates and answers with rows
UPDATE item SET price = 0 RETURNING *
--- forbidden: deletes every row
DELETE FROM item
--- forbidden: deletes behind a CTE
WITH doomed AS (SELECT id FROM item) DELETE FROM item WHERE id IN doomed RETURNING id
--- forbidden: replaces a row
REPLACE INTO item VALUES (1, 'gone', 0, NULL)
--- forbidden: drops a table
DROP TABLE item
--- forbidden: drops a table that may not exist
DROP TABLE IF EXISTS nothing
--- forbidden: drops an index
DROP INDEX item_name
--- forbidden: drops a view
DROP VIEW cheap
--- forbidden: creates a table
CREATE TABLE planted (a)
--- forbidden: creates a table from a query
CREATE TABLE planted AS SELECT * FROM item
--- forbidden: creates a temporary table
CREATE TEMP TABLE planted AS SELECT * FROM item
--- forbidden: creates a view
CREATE VIEW planted AS SELECT 1
--- forbidden: creates a temporary view
CREATE TEMP VIEW planted AS SELECT 1
--- forbidden: creates an index
CREATE INDEX planted ON item(price)
--- forbidden: creates a trigger
CREATE TRIGGER planted AFTER INSERT ON item BEGIN DELETE FROM item; END
--- forbidden: creates a virtual table
CREATE VIRTUAL TABLE planted USING fts5(text)
--- forbidden: creates an r-tree
CREATE VIRTUAL TABLE planted USING rtree(id, low, high)
--- forbidden: renames a table
ALTER TABLE item RENAME TO taken
--- forbidden: adds a column
ALTER TABLE item ADD COLUMN planted
--- forbidden: drops a column
ALTER TABLE item DROP COLUMN price
--- forbidden: rebuilds the file
VACUUM
--- forbidden: copies the database elsewhere
VACUUM INTO '/tmp/schemalink-hostile-copy.sqlite'
--- forbidden: rebuilds the indexes
REINDEX
--- forbidden: rebuilds one index
REINDEX item_name
--- forbidden: gathers statistics
ANALYZE
--- forbidden: opens a transaction
BEGIN
--- forbidden: opens a transaction that locks
BEGIN EXCLUSIVE TRANSACTION
--- forbidden: ends a transaction
COMMIT
--- forbidden: undoes a transaction
ROLLBACK
--- forbidden: sets a savepoint
SAVEPOINT planted
--- forbidden: releases a savepoint
RELEASE planted
--- forbidden: attaches a file
ATTACH DATABASE '/tmp/schemalink-hostile.sqlite' AS planted
--- forbidden: attaches memory
ATTACH ':memory:' AS planted
--- forbidden: attaches behind a comment
/* a harmless
comment */ -- and another
ATTACH '/tmp/schemalink-hostile.sqlite' AS planted
--- forbidden: attaches by an expression
ATTACH ('/tmp/' || 'schemalink-hostile.sqlite') AS planted
--- forbidden: attaches with an address
ATTACH 'file:/tmp/schemalink-hostile.sqlite?mode=rwc' AS planted
--- forbidden: detaches the database
DETACH DATABASE main
--- forbidden: loads an extension
SELECT load_extension('/tmp/schemalink-hostile.so')
--- forbidden: loads an extension with an entry point
SELECT load_extension('libc.so.6', 'system')
--- forbidden: loads an extension for every row
SELECT count(load_extension(name)) FROM item
--- query_error: reads a file
SELECT readfile('/etc/passwd')
--- query_error: writes a file
SELECT writefile('/tmp/schemalink-hostile.txt', 'planted')
--- query_error: opens an editor
SELECT edit('text', 'vi')
--- forbidden: calls a tokenizer by address
SELECT fts3_tokenizer('simple', x'4141414141414141')
--- forbidden: changes the journal
PRAGMA journal_mode = WAL
--- forbidden: switches writing on
PRAGMA query_only = 0
--- forbidden: opens the schema for writing
PRAGMA writable_schema = ON
--- forbidden: raises the heap limit
PRAGMA hard_heap_limit = 0
--- forbidden: stamps a version
PRAGMA user_version = 7
--- forbidden: stamps an application
PRAGMA application_id = 7
--- forbidden: changes the encoding
PRAGMA encoding = 'UTF-16'
--- forbidden: moves temporary files
PRAGMA temp_store_directory = '/tmp'
--- forbidden: lets temporary tables spill
PRAGMA temp_store = FILE
--- forbidden: fills the page cache
PRAGMA cache_size = -8000000
--- forbidden: maps gigabytes
PRAGMA mmap_size = 68719476736
--- forbidden: starts threads
PRAGMA threads = 64
--- forbidden: turns the order of rows around
PRAGMA reverse_unordered_selects = ON
--- forbidden: checks the whole file
PRAGMA integrity_check
--- forbidden: writes a checkpoint
PRAGMA wal_checkpoint(TRUNCATE)
--- forbidden: optimizes
PRAGMA optimize
--- forbidden: asks where the file lies
PRAGMA database_list
--- forbidden: changes the lock
PRAGMA locking_mode = EXCLUSIVE
--- forbidden: trusts the schema
PRAGMA trusted_schema = ON
--- forbidden: asks a pragma in a query
SELECT * FROM pragma_database_list
--- forbidden: changes a pragma in a query
SELECT * FROM pragma_user_version(7)
--- forbidden: writes the schema
UPDATE sqlite_master SET sql = 'CREATE TABLE item (planted)'
--- query_error: writes the schema behind a CTE
WITH x AS (SELECT 1) UPDATE sqlite_schema SET sql = ''
--- forbidden: deletes the schema
DELETE FROM sqlite_master
--- forbidden: two statements
SELECT 1; SELECT 2
--- forbidden: drops after a query
SELECT id FROM item; DROP TABLE item
--- forbidden: attaches after a query
SELECT 1; ATTACH '/tmp/schemalink-hostile.sqlite' AS planted; SELECT 2
--- forbidden: a hundred statements
SELECT 1; SELECT 2; SELECT 3; SELECT 4; SELECT 5; SELECT 6; SELECT 7; SELECT 8; SELECT 9; DELETE FROM item; SELECT 10
--- timeout: counts for ever
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
--- timeout: sums for ever
WITH RECURSIVE n(i) AS (VALUES (0.5) UNION ALL SELECT i * 0.99 FROM n) SELECT sum(i) FROM n
--- timeout: never finds a row
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0
--- timeout, too_large: remembers for ever
WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n) SELECT max(i) FROM n
--- timeout, too_large: doubles a text for ever
WITH RECURSIVE n(t) AS (SELECT 'abcdefgh' UNION ALL SELECT t || t FROM n) SELECT count(*) FROM n
--- timeout, too_large: gives rows for ever
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, hex(i), 'row ' || i FROM n
--- timeout, too_large: branches in two for ever
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i * 2 FROM n UNION ALL SELECT i * 2 + 1 FROM n) SELECT count(*) FROM n
--- timeout: a cross join of five
SELECT count(*) FROM item a, item b, item c, item d, item e
--- timeout: a cross join with a sum
SELECT sum(a.price * b.price + c.price) FROM item a CROSS JOIN item b CROSS JOIN item c
--- timeout: a cross join with a late filter
SELECT a.name FROM item a, item b, item c WHERE a.price + b.price + c.price < -1
--- timeout: subqueries in each other
SELECT count(*) FROM item a WHERE (SELECT count(*) FROM item b WHERE (SELECT count(*) FROM item c WHERE c.price > b.price) > a.price) < 0
--- timeout, too_large: sorts a cross join
SELECT a.name, b.name, c.name FROM item a, item b, item c ORDER BY a.price + b.price * c.price
--- timeout, too_large: sorts wide rows of a cross join
SELECT a.*, b.*, c.* FROM item a, item b, item c ORDER BY c.name || b.name || a.name DESC
--- timeout, too_large: numbers a cross join
SELECT row_number() OVER (ORDER BY a.name || b.name || c.name) FROM item a, item b, item c
--- timeout, too_large: running sums over a cross join
SELECT sum(a.price) OVER (PARTITION BY a.id % 7 ORDER BY b.price, c.price) FROM item a, item b, item c
--- timeout, too_large: distinct rows of a cross join
SELECT DISTINCT a.name || b.name || c.name FROM item a, item b, item c
--- timeout, too_large: groups a cross join
SELECT a.name || b.name || c.name, count(*) FROM item a, item b, item c GROUP BY 1
--- timeout, too_large: unites cross joins
SELECT a.name || b.name FROM item a, item b, item c UNION SELECT c.name || d.name FROM item c, item d, item e
--- timeout, too_large: all rows of a cross join
SELECT * FROM item a, item b, item c
--- timeout, too_large: gathers a cross join in one text
SELECT group_concat(a.name || b.name, '-') FROM item a, item b, item c
--- timeout, too_large: gathers a cross join as JSON
SELECT json_group_array(a.name || b.name) FROM item a, item b, item c
--- timeout, too_large: gathers a cross join as a JSON object
SELECT json_group_object(a.id || '-' || b.id, c.name) FROM item a, item b, item c
--- timeout, too_large: materialises a cross join
WITH big AS MATERIALIZED (SELECT a.name n, b.name m, c.name o FROM item a, item b, item c) SELECT max(n || m || o) FROM big
--- timeout, too_large: joins on an index built on the fly
WITH big AS MATERIALIZED (SELECT a.id + b.id * 2000 k FROM item a, item b) SELECT count(*) FROM big x JOIN big y USING (k) JOIN big z USING (k)
--- too_large: a gigabyte of zeros
SELECT zeroblob(1000000000)
--- too_large: the largest blob there is
SELECT zeroblob(2147483647)
--- too_large: a gigabyte of noise
SELECT randomblob(1000000000)
--- timeout, too_large: a gigabyte in hexadecimal
SELECT hex(zeroblob(500000000))
--- ok, too_large: a gigabyte of blanks by width
SELECT printf('%1000000000s', 'x')
--- timeout, too_large: a gigabyte of one sign
SELECT printf('%.*c', 1000000000, 'x')
--- ok, too_large: a gigabyte by format
SELECT format('%0999999999d', 7)
--- timeout, too_large: a gigabyte by replacement
SELECT replace(hex(zeroblob(1000000)), '0', hex(zeroblob(1000)))
--- too_large: a gigabyte by quoting
SELECT quote(zeroblob(900000000))
--- timeout, too_large: many columns of many megabytes
SELECT zeroblob(16000000), zeroblob(16000000), zeroblob(16000000), zeroblob(16000000), zeroblob(16000000), zeroblob(16000000)
--- timeout, too_large: megabytes in each row
SELECT zeroblob(4000000) FROM item
--- timeout, too_large: megabytes in each row of a cross join
SELECT randomblob(1000000) FROM item a, item b
--- timeout, too_large: sorts megabytes
SELECT hex(randomblob(1000000)) FROM item a, item b ORDER BY 1
--- timeout, too_large: keeps megabytes apart
SELECT count(DISTINCT hex(randomblob(1000000))) FROM item a, item b
--- timeout, too_large: a hundred hexes of hexes
SELECT hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(zeroblob(10000))))))))))))))
--- ok, timeout: a LIKE with many wildcards
SELECT replace(hex(zeroblob(20000)), '0', 'a') LIKE '%a%a%a%a%a%a%a%a%b'
--- ok, timeout: a GLOB with many wildcards
SELECT replace(hex(zeroblob(20000)), '0', 'a') GLOB '*a*a*a*a*a*a*a*a*b'
--- timeout: long searches in long texts
SELECT count(*) FROM item a, item b WHERE instr(hex(zeroblob(1000000)), hex(zeroblob(400000)) || 'f' || a.id) > 0
--- timeout, query_error: joins sixty tables
SELECT count(*) FROM item a1, item a2, item a3, item a4, item a5, item a6, item a7, item a8, item a9, item b1, item b2, item b3, item b4, item b5, item b6, item b7, item b8, item b9, item c1, item c2, item c3, item c4, item c5, item c6, item c7, item c8, item c9, item d1, item d2, item d3, item d4, item d5, item d6, item d7, item d8, item d9
--- ok: JSON of a table function
SELECT value FROM json_each('[1, 2, 3]')
--- ok: the columns of a table
SELECT name FROM pragma_table_info('item')
--- ok: the plan of a query
EXPLAIN QUERY PLAN SELECT * FROM item WHERE name = 'x'
--- ok: a query with a trailing semicolon and comment
SELECT count(*) FROM item; -- that is all
--- ok: a text that looks like an attack
SELECT 'DROP TABLE item; ATTACH x' AS harmless
--- ok: a text that is not UTF-8
SELECT CAST(x'ff41' AS TEXT)
--- empty_query: nothing

--- empty_query: only a comment
-- DROP TABLE item
--- empty_query: only semicolons
; ;
--- query_error: not a language
Sure! Here is the query you asked for.
--- query_error: a typing error
SELEC id FROM item
--- query_error: a table that is not there
SELECT * FROM nowhere
--- query_error: a parameter
SELECT * FROM item WHERE id = ?
--- query_error: too deep
SELECT ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1
--- query_error: a file of its own kind
.read /etc/passwd
--- query_error: a shell command
.shell rm -rf /tmp/schemalink-hostile
