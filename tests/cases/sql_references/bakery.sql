-- Plain queries, joins, inner queries, aliases, stars and strings in SQLite.

--# One table, one column
--= bread; bread.name output
SELECT name FROM bread

--# A filter is told from an output
--= bread; bread.name output; bread.grams filter
SELECT name FROM bread WHERE grams > 500

--# Names are found whatever their case and come back as declared
--= bread; bread.name output; bread.price filter
SELECT NAME FROM Bread WHERE bReAd.Price < 3

--# An alias stands for its table
--= bread; bread.name output; bread.made_by filter
SELECT b.name FROM bread AS b WHERE b.made_by = 4

--# An alias without AS
--= bread; bread.name output
SELECT b.name FROM bread b

--# A statement may end with a semicolon and carry comments
--= shop; shop.name output
/* every shop */ SELECT name -- its name
FROM shop;

--# Both sides of ON
--= bread; baker; bread.name output; baker.name output; bread.made_by join; baker.id join
SELECT b.name, k.name FROM bread AS b JOIN baker AS k ON b.made_by = k.id

--# An unqualified name goes to the one table that owns it
--= sale; bread; sale.day output; bread.grams output; sale.bread join; bread.code join
SELECT day, grams FROM sale JOIN bread ON bread = code

--# A left join counts like any other
--= shop; sale; shop.name output; shop.id join; sale.shop join; sale.id filter
SELECT s.name FROM shop AS s LEFT JOIN sale ON s.id = sale.shop WHERE sale.id IS NULL

--# A condition on a constant inside ON stands in the join
--= bread; sale; bread.name output; bread.code join; sale.bread join; sale.pieces join
SELECT b.name FROM bread b JOIN sale s ON b.code = s.bread AND s.pieces > 10

--# A join written in WHERE is a filter
--= bread; baker; bread.name output; bread.made_by filter; baker.id filter; baker.town filter
SELECT bread.name FROM bread, baker WHERE bread.made_by = baker.id AND baker.town = 'Ulm'

--# USING references the column on both sides
--~ sqlite does not read: recipe.flour; flour.flour: it compiles the join without asking for its columns
--= recipe; flour; recipe.bread output; recipe.flour join; flour.flour join; flour.mill filter
SELECT bread FROM recipe JOIN flour USING (flour) WHERE mill = 'Old Mill'

--# A column joined by USING belongs to the left table
--~ sqlite does not read: flour; flour.flour: it compiles the join without asking for its columns
--= recipe; flour; recipe.flour output join; flour.flour join
SELECT flour FROM recipe JOIN flour USING (flour)

--# USING a column that both tables call alike but mean otherwise
--~ sqlite does not read: shop.id: it compiles the join without asking for its columns
--= sale; shop; sale.id output join; shop.id join
SELECT sale.id FROM sale JOIN shop USING (id)

--# NATURAL JOIN joins on every shared name
--~ sqlite does not read: recipe.flour; flour.flour: it compiles the join without asking for its columns
--= recipe; flour; recipe.percent output; recipe.flour join; flour.flour join; flour.kilo_price filter
SELECT percent FROM recipe NATURAL JOIN flour WHERE kilo_price > 1

--# NATURAL JOIN on two shared names
--~ sqlite does not read: baker; baker.id; shop.id; baker.name; shop.name; baker.town; shop.town: it compiles the join without asking for its columns
--= baker; shop; shop.opened output; baker.id join; shop.id join; baker.name join; shop.name join; baker.town join; shop.town join
SELECT opened FROM baker NATURAL JOIN shop

--# NATURAL JOIN of tables that share nothing is a product
--= flour; sale; flour.mill output; sale.day output
SELECT mill, day FROM flour NATURAL JOIN sale

--# A self join is one table
--= baker; baker.name output; baker.trained_by join; baker.id join
SELECT a.name, t.name FROM baker AS a JOIN baker AS t ON a.trained_by = t.id

--# A self join with the table's own name as one alias
--= baker; baker.name output filter; baker.trained_by join; baker.id join
SELECT baker.name FROM baker JOIN baker AS teacher ON baker.trained_by = teacher.id WHERE teacher.name = 'Ida'

--# Joins in parentheses
--~ sqlite also reads: sale.id; sale.day; sale.pieces; bread.name; bread.price; bread.made_by; bread.tags: it takes the parentheses for SELECT *
--= shop; sale; bread; shop.name output; shop.id join; sale.shop join; sale.bread join; bread.code join; bread.grams filter
SELECT shop.name FROM shop JOIN (sale JOIN bread ON sale.bread = bread.code) ON shop.id = sale.shop WHERE bread.grams = 750

--# A cross join references no column
--= shop; flour; shop.name output; flour.mill output
SELECT name, mill FROM shop CROSS JOIN flour

--# COUNT(*) references no column
--= sale
SELECT COUNT(*) FROM sale

--# COUNT(*) beside a filter
--= sale; sale.day filter
SELECT COUNT(*) FROM sale WHERE day LIKE '2024-%'

--# COUNT of a column
--= sale; sale.shop output
SELECT COUNT(DISTINCT shop) FROM sale

--# A constant over a table
--= shop
SELECT 1 FROM shop

--# A star is every column
--= flour; flour.flour output; flour.mill output; flour.kilo_price output
SELECT * FROM flour

--# A star covers every table
--= flour; recipe; flour.flour output join; flour.mill output; flour.kilo_price output; recipe.bread output; recipe.flour output join; recipe.percent output
SELECT * FROM flour JOIN recipe ON flour.flour = recipe.flour

--# A qualified star covers its table only
--= recipe; flour; flour.flour output join; flour.mill output; flour.kilo_price output; recipe.flour join
SELECT f.* FROM recipe AS r JOIN flour AS f ON r.flour = f.flour

--# A star over USING is both columns
--~ sqlite does not read: flour.flour: its star shows a shared column once
--= recipe; flour; flour.flour output join; flour.mill output; flour.kilo_price output; recipe.bread output; recipe.flour output join; recipe.percent output
SELECT * FROM recipe JOIN flour USING (flour)

--# A star over an inner query outputs what the inner query hands on
--= bread; bread.name output nested; bread.price output nested
SELECT * FROM (SELECT name, price FROM bread)

--# An inner star references every column, the outer list what it takes
--= flour; flour.flour nested; flour.mill output nested; flour.kilo_price nested
SELECT mill FROM (SELECT * FROM flour)

--# A star directly in EXISTS references no column
--~ sqlite also reads: sale.id; sale.day; sale.pieces: it expands the star, of which EXISTS uses nothing
--= bread; sale; bread.name output; bread.code filter; sale.bread filter; sale.shop filter
SELECT name FROM bread WHERE EXISTS (SELECT * FROM sale WHERE sale.bread = bread.code AND sale.shop = 2)

--# A constant in EXISTS
--= shop; sale; shop.name output; sale.shop filter; shop.id filter
SELECT name FROM shop WHERE NOT EXISTS (SELECT 1 FROM sale WHERE sale.shop = shop.id)

--# A column in EXISTS is the output of an inner query
--= shop; sale; shop.name output; shop.id filter; sale.shop filter; sale.day nested
SELECT name FROM shop WHERE EXISTS (SELECT day FROM sale WHERE shop.id = sale.shop)

--# GROUP BY and HAVING
--= bread; bread.made_by output group; bread.price output filter
SELECT made_by, AVG(price) FROM bread GROUP BY made_by HAVING AVG(price) > 2

--# ORDER BY
--= bread; bread.name output; bread.price order
SELECT name FROM bread ORDER BY price DESC LIMIT 3

--# ORDER BY an alias is a reference to what the alias stands for
--= sale; sale.shop output group; sale.pieces output order
SELECT shop, SUM(pieces) AS total FROM sale GROUP BY shop ORDER BY total DESC

--# ORDER BY takes an alias before a column of its name
--= bread; bread.grams output order
SELECT grams * 2 AS price FROM bread ORDER BY price

--# ORDER BY an expression takes the column, not the alias
--= bread; bread.grams output; bread.price order
SELECT grams * 2 AS price FROM bread ORDER BY price + 0

--# GROUP BY takes a column before an alias of its name
--= bread; bread.name output; bread.grams group
SELECT name AS grams FROM bread GROUP BY grams

--# GROUP BY an alias that is no column
--= sale; sale.day output group
SELECT SUBSTR(day, 1, 4) AS year, COUNT(*) FROM sale GROUP BY year

--# WHERE may use an alias in SQLite
--= bread; bread.price output filter; bread.grams output filter
SELECT price / grams AS dearness FROM bread WHERE dearness > 0.01

--# WHERE takes a column before an alias of its name
--= bread; bread.grams output; bread.price filter
SELECT grams AS price FROM bread WHERE price > 1

--# HAVING may use an alias
--= sale; sale.bread output group; sale.pieces output filter
SELECT bread, SUM(pieces) AS sold FROM sale GROUP BY bread HAVING sold > 100

--# ON may use an alias of the SELECT list
--= baker; shop; baker.town output join; shop.town join
SELECT UPPER(baker.town) AS place FROM baker JOIN shop ON place = shop.town

--# Columns by number
--= sale; sale.shop output group; sale.pieces output order
SELECT shop, MAX(pieces) FROM sale GROUP BY 1 ORDER BY 2 DESC

--# ORDER BY a column with a collation
--= shop; shop.name output order
SELECT name AS title FROM shop ORDER BY title COLLATE NOCASE

--# DISTINCT changes nothing
--= shop; shop.town output
SELECT DISTINCT town FROM shop

--# CASE has the role of its clause
--= bread; bread.grams output; bread.price output
SELECT SUM(CASE WHEN grams > 500 THEN price ELSE 0 END) FROM bread

--# CASE in WHERE
--= bread; bread.name output; bread.grams filter; bread.price filter
SELECT name FROM bread WHERE CASE WHEN grams > 500 THEN price ELSE 0 END > 2

--# A cast and arithmetic
--= recipe; recipe.percent output; recipe.bread filter
SELECT CAST(SUM(percent) AS REAL) * 100 / COUNT(*) FROM recipe WHERE bread = 'rye'

--# An aggregate's FILTER is a filter
--= sale; sale.pieces output; sale.shop filter
SELECT SUM(pieces) FILTER (WHERE shop = 1) FROM sale

--# A window's parts have their own roles
--= bread; bread.name output; bread.made_by group; bread.price order
SELECT name, RANK() OVER (PARTITION BY made_by ORDER BY price) FROM bread

--# A named window
--= bread; bread.name output; bread.grams output; bread.made_by group; bread.price order
SELECT name, SUM(grams) OVER w FROM bread WINDOW w AS (PARTITION BY made_by ORDER BY price)

--# A filter on a rank filters by what the rank is made of
--= bread; bread.name output nested; bread.made_by group filter; bread.price order filter
SELECT name FROM (SELECT name, ROW_NUMBER() OVER (PARTITION BY made_by ORDER BY price DESC) AS place FROM bread) WHERE place <= 3

--# A row value
--= recipe; recipe.percent output; recipe.bread filter; recipe.flour filter
SELECT percent FROM recipe WHERE (bread, flour) = ('rye', 'R1150')

--# IN with a list
--= shop; shop.name output; shop.town filter
SELECT name FROM shop WHERE town IN ('Ulm', 'Aalen')

--# IN with an inner query
--= bread; sale; bread.name output; bread.code filter; sale.bread nested; sale.pieces filter
SELECT name FROM bread WHERE code IN (SELECT bread FROM sale WHERE pieces > 20)

--# IN with a common table expression
--= bread; sale; bread.name output; bread.code filter; sale.bread nested
WITH sold AS (SELECT bread FROM sale) SELECT name FROM bread WHERE code IN sold

--# A scalar query in WHERE
--= bread; bread.name output; bread.price filter nested
SELECT name FROM bread WHERE price > (SELECT AVG(price) FROM bread)

--# A scalar query in the outermost SELECT list is an output too
--= shop; sale; shop.name output; shop.id filter; sale.pieces output nested; sale.shop filter
SELECT name, (SELECT SUM(pieces) FROM sale WHERE sale.shop = shop.id) FROM shop

--# The same alias in an inner scope means the inner table
--= bread; baker; bread.name output; bread.made_by filter; baker.id nested; baker.town filter
SELECT x.name FROM bread AS x WHERE x.made_by IN (SELECT x.id FROM baker AS x WHERE x.town = 'Ulm')

--# A correlated column belongs to the outer query
--= bread; bread.name output; bread.made_by filter; bread.price filter nested
SELECT b.name FROM bread AS b WHERE b.price = (SELECT MAX(c.price) FROM bread AS c WHERE c.made_by = b.made_by)

--# A correlated column without a qualifier
--= baker; bread; baker.name output; bread.made_by filter; bread.name nested; baker.trained_by filter
SELECT name FROM baker WHERE EXISTS (SELECT bread.name FROM bread WHERE made_by = trained_by)

--# Correlation over two levels
--= shop; sale; bread; shop.name output; sale.bread filter; bread.code nested; bread.grams filter; shop.id filter; sale.shop filter
SELECT s.name FROM shop AS s WHERE EXISTS (SELECT 1 FROM sale WHERE sale.shop = s.id AND sale.bread IN (SELECT code FROM bread WHERE grams > s.id))

--# An inner query's own column goes before the outer one of its name
--= shop; baker; shop.name output; shop.town filter; baker.town nested; baker.name filter
SELECT name FROM shop WHERE town IN (SELECT town FROM baker WHERE name = 'Ida')

--# A derived table
--= sale; sale.shop output nested group; sale.pieces nested filter
SELECT t.shop FROM (SELECT shop, SUM(pieces) AS n FROM sale GROUP BY shop) AS t WHERE t.n > 100

--# A derived column without an alias keeps its column's name
--= baker; baker.name output nested; baker.town nested filter
SELECT d.name FROM (SELECT k.name, k.town FROM baker AS k) AS d WHERE d.town = 'Ulm'

--# A derived column named by its text
--= sale; sale.pieces output nested
SELECT "SUM(pieces)" FROM (SELECT SUM(pieces) FROM sale)

--# Two derived tables without aliases
--= baker; flour; baker.name output nested; flour.mill output nested
SELECT name, mill FROM (SELECT name FROM baker), (SELECT mill FROM flour)

--# A derived table inside a derived table
--= bread; bread.price nested output; bread.grams nested
SELECT MAX(p) FROM (SELECT p, g FROM (SELECT price AS p, grams AS g FROM bread))

--# A derived table joined to a table
--= baker; bread; baker.name output; baker.id join; bread.made_by nested join group; bread.price nested output
SELECT baker.name, m.top FROM baker JOIN (SELECT made_by, MAX(price) AS top FROM bread GROUP BY made_by) AS m ON m.made_by = baker.id

--# A derived COUNT(*) hands on no field
--= sale; sale.day nested output group
SELECT day, n FROM (SELECT day, COUNT(*) AS n FROM sale GROUP BY day) WHERE n > 3

--# A common table expression
--= bread; bread.name nested output; bread.price nested filter
WITH priced AS (SELECT name, price FROM bread) SELECT name FROM priced WHERE price > 2

--# A common table expression with its columns named
--= bread; bread.name nested output; bread.price nested filter
WITH priced (title, euros) AS (SELECT name, price FROM bread) SELECT title FROM priced WHERE euros > 2

--# A common table expression that shadows a real table
--= baker; baker.town nested output
WITH shop AS (SELECT town FROM baker) SELECT town FROM shop

--# A qualified name is the real table despite a common table expression of its name
--= shop; baker; shop.opened output; baker.name nested
WITH shop AS (SELECT name FROM baker) SELECT opened FROM main.shop WHERE 1 IN (SELECT 1 FROM shop)

--# Common table expressions that use each other
--= sale; bread; sale.bread nested join; sale.pieces nested output; bread.code join; bread.name output nested
WITH sold AS (SELECT bread AS b, pieces AS n FROM sale), named AS (SELECT bread.name, sold.n FROM sold JOIN bread ON sold.b = bread.code) SELECT name, SUM(n) FROM named

--# A common table expression used before it stands, as SQLite allows
--= flour; flour.mill output nested
WITH first AS (SELECT mill FROM second), second AS (SELECT mill FROM flour) SELECT mill FROM first

--# A common table expression of an inner query is not seen outside it
--= shop; baker; shop.name output; shop.town filter; baker.town nested
SELECT name FROM shop WHERE town IN (WITH t AS (SELECT town FROM baker) SELECT town FROM t)

--# A common table expression within a common table expression
--= baker; baker.id output nested
WITH a AS (WITH b AS (SELECT id FROM baker) SELECT id FROM b) SELECT id FROM a

--# A common table expression that nothing uses is mentioned all the same
--~ sqlite does not read: flour; flour.mill: it never compiles what is not used
--= shop; flour; shop.name output; flour.mill nested
WITH idle AS (SELECT mill FROM flour) SELECT name FROM shop

--# A common table expression used twice
--= baker; baker.id nested join; baker.trained_by nested join; baker.name nested output
WITH k AS (SELECT id, trained_by, name FROM baker) SELECT a.name FROM k AS a JOIN k AS b ON a.trained_by = b.id

--# A recursive common table expression
--= baker; baker.id nested filter join; baker.name nested output; baker.trained_by join
WITH RECURSIVE line (id, name) AS (SELECT id, name FROM baker WHERE id = 1 UNION ALL SELECT p.id, p.name FROM baker AS p JOIN line ON p.trained_by = line.id) SELECT name FROM line

--# Recursion without its keyword, over numbers alone
--= sale; sale.day output; sale.pieces filter
WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT day FROM sale WHERE pieces IN (SELECT i FROM n)

--# UNION: every branch's list is output
--= baker; shop; baker.name output; shop.name output; shop.opened filter
SELECT name FROM baker UNION SELECT name FROM shop WHERE opened > '2000'

--# INTERSECT and EXCEPT
--= baker; shop; flour; baker.town output; shop.town output; flour.mill output
SELECT town FROM baker INTERSECT SELECT town FROM shop EXCEPT SELECT mill FROM flour

--# ORDER BY of a set operation orders by every branch
--= baker; shop; baker.name output order; shop.name output order
SELECT name AS n FROM baker UNION ALL SELECT name FROM shop ORDER BY n

--# ORDER BY of a set operation by number
--= baker; shop; baker.name output; shop.name output; baker.town output order; shop.town output order
SELECT name, town FROM baker UNION SELECT name, town FROM shop ORDER BY 2

--# ORDER BY of a set operation by the second branch's name
--= baker; shop; baker.town output order; shop.opened output order
SELECT town FROM baker UNION SELECT opened FROM shop ORDER BY opened

--# A set operation in a derived table
--= baker; shop; baker.name nested output; shop.name nested output
SELECT n FROM (SELECT name AS n FROM baker UNION SELECT name FROM shop)

--# A set operation in IN
--= bread; sale; recipe; bread.name output; bread.code filter; sale.bread nested; recipe.bread nested
SELECT name FROM bread WHERE code IN (SELECT bread FROM sale EXCEPT SELECT bread FROM recipe)

--# WITH before a set operation
--= baker; shop; baker.town nested output; shop.town output
WITH t AS (SELECT town FROM baker) SELECT town FROM t UNION SELECT town FROM shop

--# VALUES as a source
--= bread; bread.name output; bread.grams join
SELECT bread.name FROM bread JOIN (VALUES (500), (750)) AS v ON bread.grams = v.column1

--# VALUES in a common table expression
--= bread; bread.name output; bread.grams join
WITH size (g) AS (VALUES (500), (750)) SELECT name FROM bread JOIN size ON grams = g

--# VALUES as a branch of a set operation
--= shop; shop.town output
SELECT town FROM shop UNION VALUES ('Ulm')

--# A table function over a column: its columns stand over that column
--= bread; bread.name output; bread.tags join filter
SELECT bread.name FROM bread, json_each(bread.tags) WHERE json_each.value = 'rye'

--# A table function under an alias, its column without a qualifier
--= bread; bread.tags join output
SELECT DISTINCT value FROM bread, json_each(bread.tags) AS tag

--# A table function in an inner query, correlated
--= bread; bread.name output; bread.tags join filter
SELECT name FROM bread WHERE EXISTS (SELECT 1 FROM json_each(tags) AS t WHERE t.value = 'vegan')

--# A string in double quotes
--= shop; shop.name output; shop.town filter
SELECT name FROM shop WHERE town = "Ulm"

--# A string in double quotes that is a column of another table
--= shop; shop.name output; shop.town filter
SELECT name FROM shop WHERE town = "mill"

--# A column in double quotes
--= shop; shop.name output; shop.town filter
SELECT "name" FROM shop WHERE "town" = 'Ulm'

--# A string in double quotes that is a column: the column it is
--= shop; shop.name output filter; shop.town filter
SELECT name FROM shop WHERE town = "name"

--# A string in double quotes in a list and in LIKE
--= bread; bread.name output filter; bread.code filter
SELECT name FROM bread WHERE code IN ("R1", "W2") AND name LIKE "%seed%"

--# A name in double quotes that only the outer query has
--= shop; sale; shop.name output; shop.opened filter; sale.shop nested; sale.day filter; shop.id filter
SELECT name FROM shop WHERE id IN (SELECT shop FROM sale WHERE sale.day = "opened")

--# Empty double quotes
--= shop; shop.name output; shop.town filter
SELECT name FROM shop WHERE town != ""

--# Backticks and brackets quote names, not strings
--= shop; shop.name output; shop.town filter
SELECT `name` FROM [shop] WHERE [town] = 'Ulm'

--# A made-up name in backticks is unknown
--~ sqlite refuses: no such column
--= shop; shop.name output
--? colour
SELECT name FROM shop WHERE `colour` = 1

--# A table in single quotes
--= shop; shop.name output
SELECT name FROM 'shop'

--# An alias in single quotes
--= shop; shop.name output; shop.town order
SELECT name AS 'the name' FROM shop ORDER BY town

--# rowid is the integer primary key where there is one
--= sale; sale.id output; sale.day filter
SELECT rowid FROM sale WHERE day = '2024-05-01'

--# rowid is no field where there is no integer primary key
--~ sqlite also reads: bread.ROWID: the row's number is no declared column
--= bread; bread.name output
SELECT name FROM bread ORDER BY rowid

--# oid and _rowid_ through an alias
--= sale; sale.id output filter
SELECT s.oid FROM sale AS s WHERE s._rowid_ < 9

--# A schema's name before a table
--= shop; shop.name output; shop.town filter
SELECT main.shop.name FROM main.shop WHERE shop.town = 'Ulm'

--# A JSON arrow
--= bread; bread.tags output
SELECT tags -> '$[0]' FROM bread

--# A function's arguments, dates and concatenation
--= sale; sale.day output filter; sale.id output
SELECT STRFTIME('%Y', day) || '/' || id FROM sale WHERE JULIANDAY('now') - JULIANDAY(day) < 30

--# LIMIT by a query
--= shop; sale; shop.name output; sale.pieces nested
SELECT name FROM shop LIMIT (SELECT MAX(pieces) FROM sale)

--# Aggregate order
--= sale; sale.shop output group; sale.pieces output
SELECT shop, GROUP_CONCAT(pieces, ',') FROM sale GROUP BY shop

--# An unknown table
--~ sqlite refuses: no such table
--? oven; oven.heat
SELECT oven.heat FROM oven

--# An unknown table beside a known one
--~ sqlite refuses: no such table
--= bread; bread.name output
--? oven
SELECT bread.name FROM bread, oven

--# An unknown column, qualified by an alias: its table's name is given
--~ sqlite refuses: no such column
--= bread; bread.name output
--? bread.colour
SELECT b.name, b.colour FROM bread AS b

--# An unknown column without a qualifier
--~ sqlite refuses: no such column
--= bread; bread.name output
--? colour
SELECT name FROM bread WHERE colour = 'brown'

--# A column of a table that is not in FROM
--~ sqlite refuses: no such column
--= bread; bread.name output
--? mill
SELECT name FROM bread WHERE mill = 'Old Mill'

--# An unknown qualifier
--~ sqlite refuses: no such column
--= bread; bread.name output
--? z.grams
SELECT bread.name FROM bread WHERE z.grams > 1

--# An unknown column of a derived table
--~ sqlite refuses: no such column
--= bread; bread.name nested output
--? d.price
SELECT d.name, d.price FROM (SELECT name FROM bread) AS d

--# A derived table does not see the tables beside it
--~ sqlite refuses: no such column
--= shop; baker; shop.name output; baker.id nested; baker.town filter
--? shop.town
SELECT shop.name FROM shop, (SELECT id FROM baker WHERE baker.town = shop.town)

--# A name that two tables own goes to the first, although SQLite refuses it
--~ sqlite refuses: ambiguous
--= bread; baker; bread.name output; bread.made_by join; baker.id join
SELECT name FROM bread JOIN baker ON made_by = baker.id

--# A table named despite its alias, although SQLite refuses it
--~ sqlite refuses: no such column
--= bread; bread.name output
SELECT bread.name FROM bread AS b

--# An unknown column in USING
--~ sqlite refuses: cannot join
--= bread; shop; bread.code output; bread.grams join
--? grams
SELECT code FROM bread JOIN shop USING (grams)

--# Empty
--! empty

--# Only a comment
--! empty
/* nothing */

--# A misspelt verb
--! begins with 'SELEC'
SELEC name FROM bread

--# Two statements
--! 2 statements
SELECT name FROM bread; SELECT name FROM shop

--# A code fence
--! begins with
```sql
SELECT name FROM bread
```

--# Prose before the query
--! begins with 'Here'
Here is the query you asked for: SELECT name FROM bread

--# No table
--~ sqlite accepts: a query, but of nothing in the catalog
--! references no table
SELECT 1

--# Columns without a table
--! references no table
SELECT name

--# Only a table function
--~ sqlite accepts: a query, but of nothing in the catalog
--! references no table
SELECT value FROM json_each('[1, 2]')

--# Only values
--~ sqlite accepts: a query, but of nothing in the catalog
--! VALUES
VALUES (1, 2)

--# INSERT
--~ sqlite accepts: a statement, but no query
--! begins with 'INSERT'
INSERT INTO shop (name) VALUES ('x')

--# DELETE behind WITH
--~ sqlite accepts: a statement, but no query
--! DELETE
WITH t AS (SELECT id FROM shop) DELETE FROM shop WHERE id IN (SELECT id FROM t)

--# DROP
--~ sqlite accepts: a statement, but no query
--! begins with 'DROP'
DROP TABLE shop

--# EXPLAIN
--~ sqlite refuses: near "EXPLAIN"
--! begins with 'EXPLAIN'
EXPLAIN SELECT name FROM shop

--# An unfinished WHERE
--! line 1
SELECT name FROM shop WHERE

--# An unfinished string
--! Missing '
SELECT name FROM shop WHERE town = 'Ulm

--# No SELECT list
--! select list
SELECT FROM shop

--# Parentheses that do not close
--! Expecting )
SELECT name FROM shop WHERE id IN (SELECT shop FROM sale

--# A star for a value
--! a star
SELECT name FROM bread WHERE price > *

--# A star in parentheses
--! a star
SELECT (*) FROM bread

--# A star to order by
--! a star
SELECT name FROM bread ORDER BY *

--# Scalar queries inside an expression of the outermost SELECT list
--= shop; bread; flour; bread.price output nested; flour.kilo_price output nested
SELECT (SELECT MAX(price) FROM bread) - (SELECT MIN(kilo_price) FROM flour) FROM shop

--# A membership in the SELECT list returns none of the inner query's values
--= shop; baker; shop.name output; baker.name nested
SELECT name IN (SELECT name FROM baker) FROM shop

--# A limit is no place for a column
--~ sqlite refuses: no such column
--= shop; shop.name output
--? opened
SELECT name FROM shop LIMIT opened
