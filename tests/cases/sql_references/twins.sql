-- Names that differ in case only, as Snowflake allows.

--# Without quotes it is the column in upper case
--~ sqlglot differs: it keeps the written qualification
--~ duckdb refuses: it ignores case
--= TWINS.PEN.CHILD; TWINS.PEN.CHILD.NAME output
SELECT Name FROM child

--# In quotes it is the column as spelled
--~ sqlglot differs: it keeps the written qualification
--~ duckdb refuses: it ignores case
--= TWINS.PEN.CHILD; TWINS.PEN.CHILD.name output; TWINS.PEN.CHILD.Name filter
SELECT "name" FROM CHILD WHERE "Name" = 'Kim'

--# Tables too
--~ duckdb refuses: it ignores case
--= TWINS.PEN.Child; TWINS.PEN.CHILD; TWINS.PEN.Child.TOY output; TWINS.PEN.Child.ID join; TWINS.PEN.CHILD.ID join
SELECT t.toy FROM twins.pen."Child" AS t JOIN twins.pen.child AS c ON t.id = c.id
