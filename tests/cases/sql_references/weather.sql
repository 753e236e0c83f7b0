-- DuckDB: FROM first, lambdas, structs, stars that leave out, semi joins. Every query is bound by DuckDB itself.

--# FROM first
--= station; station.id output; station.name output; station.position output; station.sensors output
FROM station

--# FROM before SELECT
--= station; station.name output
FROM station SELECT name

--# A struct's part
--= station; station.position output
SELECT position.lat FROM station

--# A struct's part, qualified
--= station; station.position output
SELECT s.position.lat FROM station AS s

--# A lambda's parameter is no column
--= station; station.sensors output; station.name output
SELECT list_filter(sensors, lambda x: x <> name) FROM station

--# EXCLUDE and REPLACE
--= reading; reading.station output; reading.at output; reading.celsius output
SELECT * EXCLUDE (rain) REPLACE (round(celsius) AS celsius) FROM reading

--# A semi join's right side is seen in its condition only
--~ sqlglot differs: it leaves the right side out of the sources
--= station; reading; station.id output join; station.name output; station.position output; station.sensors output; reading.station join
SELECT * FROM station SEMI JOIN reading ON station.id = reading.station

--# GROUP BY ALL
--= reading; reading.station output; reading.rain output
SELECT station, sum(rain) FROM reading GROUP BY ALL

--# ORDER BY ALL
--= reading; reading.station output order; reading.rain output order
SELECT station, rain FROM reading ORDER BY ALL

--# An alias in WHERE
--= reading; reading.celsius output filter
SELECT celsius * 1.8 + 32 AS fahrenheit FROM reading WHERE fahrenheit > 80

--# An alias used later in the same SELECT list
--= reading; reading.celsius output
SELECT celsius + 273 AS kelvin, kelvin / 2 FROM reading

--# unnest in the SELECT list
--= station; station.sensors output
SELECT unnest(sensors) FROM station

--# unnest as a source with a named column
--= station; station.sensors join output
SELECT u.sensor FROM station, unnest(station.sensors) AS u (sensor)

--# A derived table that sees the tables before it
--~ sqlglot differs: it does not see them
--= station; reading; station.name output; reading.celsius nested output; reading.station filter; station.id filter
SELECT station.name, m.top FROM station, (SELECT max(celsius) AS top FROM reading WHERE reading.station = station.id) AS m

--# QUALIFY
--= reading; reading.celsius output; reading.station group; reading.at order
SELECT celsius FROM reading QUALIFY row_number() OVER (PARTITION BY station ORDER BY at DESC) = 1

--# An as-of join
--= reading; reading.rain output; reading.station join; reading.at join
SELECT a.rain FROM reading AS a ASOF JOIN reading AS b ON a.station = b.station AND a.at >= b.at

--# A table's columns renamed in FROM
--~ sqlglot differs: it keeps the new names
--= reading; reading.station output; reading.at filter
SELECT r.place FROM reading AS r (place, moment) WHERE r.moment > '2024-01-01'

--# Another database's spelling of the schema
--~ sqlglot differs: it keeps the written qualification
--= reading; reading.rain output
SELECT rain FROM main.reading

--# UNPIVOT
--~ sqlglot differs: it takes the made column for the table's
--= reading; reading.celsius nested output; reading.rain nested output; reading.station output
SELECT station, value FROM reading UNPIVOT (value FOR measure IN (celsius, rain))

--# An unknown column
--~ duckdb refuses: no such column
--~ sqlglot refuses: no such column
--= reading; reading.rain output
--? reading.snow
SELECT rain, r.snow FROM reading AS r
