-- Snowflake: folded and quoted names, DATABASE.SCHEMA.TABLE, semi-structured columns, QUALIFY.

--# Names without quotes fold to upper case
--= HARBOUR.PORT.SHIP; HARBOUR.PORT.SHIP.NAME output; HARBOUR.PORT.SHIP.IMO filter
SELECT name FROM harbour.port.ship WHERE imo = 9

--# The schema's name is enough
--~ sqlglot differs: it keeps the written qualification
--= HARBOUR.PORT.SHIP; HARBOUR.PORT.SHIP.flag output
SELECT "flag" FROM PORT.SHIP

--# The table's name is enough where one schema has it
--~ sqlglot differs: it keeps the written qualification
--~ duckdb refuses: it looks into the current schema only
--= HARBOUR.PORT.SHIP; HARBOUR.PORT.SHIP.Built In output
SELECT s."Built In" FROM SHIP AS s

--# A table's name that two schemas have is unknown without one
--~ duckdb refuses: it looks into the current schema only
--~ sqlglot refuses: cannot tell which
--= 
--? VISIT; BERTH
SELECT berth FROM visit

--# The schema tells tables of one name apart
--= HARBOUR.PORT.VISIT; HARBOUR.TRADE.VISIT; HARBOUR.TRADE.VISIT.BROKER output; HARBOUR.PORT.VISIT.ID join; HARBOUR.TRADE.VISIT.ID join
SELECT b.broker FROM harbour.port.visit AS v JOIN harbour.trade.visit AS b ON v.id = b.id

--# Quoted parts
--= HARBOUR.PORT.SHIP; HARBOUR.PORT.SHIP.NAME output
SELECT "NAME" FROM "HARBOUR"."PORT"."SHIP"

--# Qualified columns of a qualified table
--= HARBOUR.PORT.SHIP; HARBOUR.PORT.SHIP.NAME output; HARBOUR.PORT.SHIP.OWNER filter
SELECT harbour.port.ship.name FROM harbour.port.ship WHERE port.ship.owner = 1 AND ship.owner < 3

--# A path into a semi-structured column
--= HARBOUR.PORT.SHIP; HARBOUR.PORT.SHIP.CARGO output filter
SELECT cargo:manifest.weight::FLOAT FROM harbour.port.ship WHERE cargo:hazard = 'none'

--# A path in brackets
--= HARBOUR.PORT.SHIP; HARBOUR.PORT.SHIP.CARGO output
SELECT s.cargo['items'][0]['code'] FROM harbour.port.ship AS s

--# LATERAL FLATTEN
--~ duckdb refuses: its own unnesting is spelled otherwise
--= HARBOUR.PORT.SHIP; HARBOUR.PORT.SHIP.NAME output; HARBOUR.PORT.SHIP.CARGO output join filter
SELECT s.name, f.value:code::STRING FROM harbour.port.ship AS s, LATERAL FLATTEN(input => s.cargo:items) AS f WHERE f.value:tons > 5

--# TABLE(FLATTEN(…))
--~ sqlglot refuses: it does not know the made columns
--~ duckdb refuses: its own unnesting is spelled otherwise
--= HARBOUR.PORT.SHIP; HARBOUR.PORT.SHIP.CARGO join output
SELECT value FROM harbour.port.ship, TABLE(FLATTEN(cargo))

--# A flattened column that does not exist
--~ sqlglot refuses: no such column
--~ duckdb refuses: no such column
--= HARBOUR.PORT.SHIP; HARBOUR.PORT.SHIP.CARGO join
--? f.WEIGHT
SELECT f.weight FROM harbour.port.ship AS s, LATERAL FLATTEN(input => s.cargo) AS f

--# QUALIFY is a filter by what the window is made of
--= HARBOUR.PORT.VISIT; HARBOUR.PORT.VISIT.BERTH output; HARBOUR.PORT.VISIT.IMO group; HARBOUR.PORT.VISIT.ARRIVED order
SELECT berth FROM harbour.port.visit QUALIFY ROW_NUMBER() OVER (PARTITION BY imo ORDER BY arrived) = 1

--# QUALIFY by an alias
--= HARBOUR.PORT.VISIT; HARBOUR.PORT.VISIT.BERTH output; HARBOUR.PORT.VISIT.TONS order filter
SELECT berth, RANK() OVER (ORDER BY tons DESC) AS place FROM harbour.port.visit QUALIFY place <= 3

--# An alias used later in the same SELECT list
--= HARBOUR.PORT.VISIT; HARBOUR.PORT.VISIT.TONS output
SELECT tons * 1000 AS kilos, kilos * 2 AS twice FROM harbour.port.visit

--# Date parts are no columns
--= HARBOUR.PORT.VISIT; HARBOUR.PORT.VISIT.ARRIVED output; HARBOUR.PORT.VISIT.LEFT_AT output
SELECT DATEDIFF(day, arrived, left_at), DATE_TRUNC('month', arrived), DATEADD(hour, 2, arrived), EXTRACT(year FROM arrived) FROM harbour.port.visit

--# PIVOT
--~ sqlglot differs: it gives the other columns to the pivot
--= HARBOUR.TRADE.TARIFF; HARBOUR.TRADE.TARIFF.EURO nested output; HARBOUR.TRADE.TARIFF.class nested output; HARBOUR.TRADE.TARIFF.YEAR output
SELECT year, p."'tanker'" FROM harbour.trade.tariff PIVOT(SUM(euro) FOR "class" IN ('tanker', 'ferry')) AS p

--# A recursive common table expression without its keyword
--~ duckdb refuses: it wants the keyword
--~ sqlglot refuses: it wants the keyword
--= HARBOUR.TRADE.TARIFF; HARBOUR.TRADE.TARIFF.EURO output; HARBOUR.TRADE.TARIFF.YEAR join
WITH years AS (SELECT 2000 AS y UNION ALL SELECT y + 1 FROM years WHERE y < 2010) SELECT t.euro FROM years JOIN harbour.trade.tariff AS t ON t.year = years.y

--# A star that leaves columns out
--= HARBOUR.TRADE.TARIFF; HARBOUR.TRADE.TARIFF.EURO output
SELECT * EXCLUDE (year, "class") FROM harbour.trade.tariff

--# A double-quoted name that nothing has is no string here
--~ sqlglot refuses: no such column
--~ duckdb refuses: no such column
--= HARBOUR.PORT.SHIP; HARBOUR.PORT.SHIP.NAME output; HARBOUR.PORT.SHIP.flag filter
--? Norway
SELECT name FROM harbour.port.ship WHERE "flag" = "Norway"

--# Another database's table is unknown
--~ sqlglot refuses: no such table
--~ duckdb refuses: no such table
--= 
--? OTHER.PORT.SHIP; NAME
SELECT name FROM other.port.ship

--# A generator is no table
--! references no table
SELECT SEQ4() FROM TABLE(GENERATOR(ROWCOUNT => 10))
