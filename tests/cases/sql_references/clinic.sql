-- PostgreSQL: schemas, LATERAL, DISTINCT ON, arrays, JSON, casts.

--# A schema before a table
--~ sqlglot differs: it keeps the written qualification
--~ duckdb refuses: its default schema is called main
--= patient; patient.name output
SELECT name FROM public.patient

--# A table in another schema
--= lab.sample; lab.sample.kind output
SELECT s.kind FROM lab.sample AS s

--# A quoted name in mixed case
--= patient; patient.Born output
SELECT "Born" FROM Patient

--# DISTINCT ON groups
--= visit; visit.ward output; visit.patient_id group order; visit.at order
SELECT DISTINCT ON (patient_id) ward FROM visit ORDER BY patient_id, at DESC

--# LATERAL sees the tables before it
--= patient; visit; patient.name output; visit.cost nested output order; visit.patient_id filter; patient.id filter
SELECT p.name, v.cost FROM patient AS p CROSS JOIN LATERAL (SELECT cost FROM visit WHERE visit.patient_id = p.id ORDER BY visit.cost LIMIT 1) AS v

--# unnest as a source
--~ sqlglot refuses: it does not know the made column
--= patient; patient.allergies join output
SELECT a FROM patient, unnest(allergies) AS a

--# JSON operators and casts
--= patient; patient.notes output; patient.Born filter
SELECT notes ->> 'diet' FROM patient WHERE "Born"::text LIKE '19%'

--# INTERVAL and EXTRACT
--= visit; visit.at output filter
SELECT EXTRACT(YEAR FROM at) FROM visit WHERE at > now() - INTERVAL '30 days'

--# A window over a group
--= visit; visit.ward output group; visit.cost order
SELECT ward, RANK() OVER (ORDER BY SUM(cost)) FROM visit GROUP BY ward

--# An ordered-set aggregate outputs what it orders
--= visit; visit.cost output
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY cost) FROM visit

--# An aggregate's own ORDER BY
--= visit; visit.ward output; visit.at order
SELECT string_agg(ward, ',' ORDER BY at) FROM visit

--# GROUP BY ROLLUP
--= visit; visit.ward output group; visit.patient_id output group; visit.cost output
SELECT ward, patient_id, SUM(cost) FROM visit GROUP BY ROLLUP (ward, patient_id)

--# WITH without RECURSIVE: its own name inside it is the real table
--= visit; visit.ward nested output; visit.cost filter
WITH visit AS (SELECT ward FROM visit WHERE cost > 10) SELECT ward FROM visit

--# WITH RECURSIVE
--= visit; visit.id nested output filter; visit.cost filter
WITH RECURSIVE t (n) AS (SELECT id FROM visit WHERE cost > 1 UNION SELECT n + 1 FROM t WHERE n < 9) SELECT n FROM t

--# FULL JOIN with USING
--= visit; lab.sample; visit.id output join; lab.sample.id join
SELECT id FROM visit FULL JOIN lab.sample USING (id)

--# generate_series joined
--~ sqlglot differs: it takes the function for a table
--= visit; visit.ward output; visit.id join
SELECT visit.ward FROM generate_series(1, 9) AS g JOIN visit ON visit.id = g

--# A double-quoted name that nothing has is no string here
--~ sqlglot refuses: no such column
--~ duckdb refuses: no such column
--= visit; visit.id output; visit.ward filter
--? north
SELECT id FROM visit WHERE ward = "north"

--# A statement that changes data inside WITH
--! DELETE
WITH gone AS (DELETE FROM visit RETURNING id) SELECT id FROM gone

--# SELECT INTO
--! INTO
SELECT id INTO copy FROM visit
