-- BigQuery: strings in double quotes, project.dataset.table in backticks, structured columns, UNNEST.

--# Double quotes are strings
--= space.orbit.pass; space.orbit.pass.id output; space.orbit.pass.satellite filter
SELECT id FROM `space.orbit.pass` WHERE satellite = "Terra"

--# The name's parts quoted one by one
--= space.orbit.satellite; space.orbit.satellite.maker output
SELECT maker FROM `space`.`orbit`.`satellite`

--# The data set's name is enough
--~ sqlglot differs: it keeps the written qualification
--= space.orbit.satellite; space.orbit.satellite.maker output
SELECT s.maker FROM orbit.satellite AS s

--# A part of a structured column
--= space.orbit.pass; space.orbit.pass.place output filter
SELECT place.lat FROM space.orbit.pass WHERE place.site.name = 'Kiruna'

--# A part of a structured column, qualified
--= space.orbit.pass; space.orbit.pass.place output
SELECT p.place.site.name FROM space.orbit.pass AS p

--# UNNEST: its alias is a column over the array
--= space.orbit.pass; space.orbit.pass.id output; space.orbit.pass.signals join output filter
SELECT p.id, s.power FROM space.orbit.pass AS p, UNNEST(p.signals) AS s WHERE s.band = 'X'

--# UNNEST of plain values
--= space.orbit.pass; space.orbit.pass.tags join output group
SELECT tag, COUNT(*) FROM space.orbit.pass, UNNEST(tags) AS tag GROUP BY tag

--# UNNEST with its offset
--= space.orbit.pass; space.orbit.pass.tags join output
SELECT tag FROM space.orbit.pass CROSS JOIN UNNEST(tags) AS tag WITH OFFSET AS place_in_list WHERE place_in_list = 0

--# UNNEST in an inner query, correlated
--= space.orbit.pass; space.orbit.pass.id output; space.orbit.pass.signals join filter
SELECT id FROM space.orbit.pass WHERE EXISTS (SELECT 1 FROM UNNEST(signals) AS s WHERE s.power > 3)

--# A star with an exception and a replacement
--= space.orbit.satellite; space.orbit.satellite.maker output; space.orbit.satellite.name output
SELECT * EXCEPT (launched) REPLACE (UPPER(name) AS name) FROM space.orbit.satellite

--# GROUP BY takes an alias before a column of its name
--~ duckdb refuses: it takes the column first
--= space.orbit.satellite; space.orbit.satellite.maker output group
SELECT SUBSTR(maker, 1, 3) AS name, COUNT(*) FROM space.orbit.satellite GROUP BY name

--# A whole row
--~ sqlglot differs: it reads no column of a row named whole
--= space.orbit.satellite; space.orbit.satellite.name output; space.orbit.satellite.launched output; space.orbit.satellite.maker output
SELECT TO_JSON_STRING(s) FROM space.orbit.satellite AS s

--# A struct's star
--= space.orbit.pass; space.orbit.pass.place output
SELECT place.* FROM space.orbit.pass

--# QUALIFY
--= space.orbit.pass; space.orbit.pass.satellite output group; space.orbit.pass.seen order
SELECT satellite FROM space.orbit.pass WHERE TRUE QUALIFY ROW_NUMBER() OVER (PARTITION BY satellite ORDER BY seen) = 1

--# A made-up column, although a structured one is near
--~ sqlglot refuses: no such column
--~ duckdb refuses: no such column
--= space.orbit.pass; space.orbit.pass.id output
--? latitude
SELECT id, latitude FROM space.orbit.pass
