-- Names that need quotes: spaces, parentheses, dashes, dots, quotes, keywords, letters beyond ASCII.

--# Spaces and parentheses in double quotes
--= Reading Room (North); Reading Room (North).Lamp? (Y/N) output; Reading Room (North).Seat No. filter
SELECT "Lamp? (Y/N)" FROM "Reading Room (North)" WHERE "Seat No." = 4

--# Spaces and parentheses in backticks
--= Reading Room (North); Reading Room (North).Lamp? (Y/N) output; Reading Room (North).Seat No. filter
SELECT T1.`Lamp? (Y/N)` FROM `Reading Room (North)` AS T1 WHERE T1.`Seat No.` = 4

--# Brackets
--= Reading Room (North); Reading Room (North).per cent % output
SELECT [per cent %] FROM [Reading Room (North)]

--# The whole name before a column
--= Reading Room (North); Reading Room (North).e-mail output
SELECT `Reading Room (North)`.`e-mail` FROM `Reading Room (North)`

--# An apostrophe and doubled quotes in names
--= Reading Room (North); Reading Room (North).it's output; Reading Room (North).say "hi" output
SELECT "it's", "say ""hi""" FROM "Reading Room (North)"

--# Quoted names in another case
--= Reading Room (North); Reading Room (North).Seat No. output
SELECT "SEAT NO." FROM "reading room (north)"

--# Keywords as names
--= order; order.group output group; order.select filter
SELECT "group" FROM "order" WHERE "select" = 'x' GROUP BY "group"

--# A column called like its table
--= order; order.order output
SELECT `order`.`order` FROM `order`

--# Keywords joined
--= transaction; order; transaction.values output; transaction.order join; order.order join; order.user filter
SELECT t."values" FROM "transaction" AS t JOIN "order" AS o ON t."order" = o."order" WHERE o.user = 'ann'

--# USING a keyword
--~ sqlite does not read: transaction.order; order.order: it compiles the join without asking for its columns
--= transaction; order; transaction.key output; transaction.order join; order.order join
SELECT key FROM "transaction" JOIN "order" USING ("order")

--# Words that are keywords elsewhere need no quotes
--= transaction; transaction.key output; transaction.date order; order; order.user nested; transaction.MixedCase filter
SELECT key FROM "transaction" WHERE mixedcase IN (SELECT user FROM "order") ORDER BY date

--# Mixed case comes back as declared
--= transaction; transaction.MixedCase output; transaction.index filter
SELECT MIXEDCASE FROM `TRANSACTION` WHERE `INDEX` > 0

--# Dots in names
--= a.b; a.b.c.d output; a.b.a.b filter
SELECT "c.d" FROM "a.b" WHERE "a.b" = 'x'

--# Dots in names, qualified
--= a.b; a.b.a.b output
SELECT "a.b"."a.b" FROM "a.b"

--# Letters beyond ASCII, a dash, a leading digit
--= läsning-2nd; läsning-2nd.2nd output; läsning-2nd.Größe filter
SELECT "2nd" FROM "läsning-2nd" WHERE Größe > 1.5

--# Backticks inside a name
--= läsning-2nd; läsning-2nd.`tick` output
SELECT "`tick`" FROM "läsning-2nd"

--# An alias that needs quotes
--= order; order.from output order
SELECT "from" AS "where from?" FROM "order" ORDER BY "where from?"

--# A derived column that needs quotes
--= order; order.from nested output
SELECT d.`where from?` FROM (SELECT "from" AS "where from?" FROM "order") AS d

--# A string in double quotes that looks like a keyword
--= order; order.group output; order.user filter
SELECT "group" FROM "order" WHERE user = "where"

--# A common table expression with a quoted name
--= order; order.select nested output
WITH "my orders" AS (SELECT "select" FROM "order") SELECT "select" FROM `my orders`

--# A keyword without its quotes is junk
--~ sqlite refuses: syntax error
--! line 1
SELECT select FROM transaction

--# A name with a space but no quotes
--~ sqlite refuses: no such table
--= 
--? Reading; e
SELECT e FROM Reading Room

--# A star over awkward names
--= a.b; a.b.c.d output; a.b.a.b output
SELECT * FROM "a.b"
