//# a label, a type, a property each
//= Gardener; TENDS; Plot; Gardener.name filter; Plot.size output
MATCH (g:Gardener {name: 'Ida'})-[:TENDS]->(p:Plot) RETURN p.size

//# a node returned whole references its entity only
//= Gardener output
MATCH (g:Gardener) RETURN g LIMIT 5

//# count of a node is its use as output
//= Gardener output; TENDS; Plot
MATCH (g:Gardener)-[:TENDS]->(:Plot) RETURN count(g)

//# count(*) uses nothing
//= Plot
MATCH (:Plot) RETURN count(*)

//# case of names counts
//? gardener
MATCH (g:gardener) RETURN g

//# case of properties counts
//= Gardener
//? Gardener.Name
MATCH (g:Gardener) RETURN g.Name

//# case of types counts
//= Gardener
//? tends
MATCH (g:Gardener)-[:tends]->() RETURN count(*)

//# case of variables counts
//= Gardener
//? G
MATCH (g:Gardener) RETURN G.name

//# an unlabelled end takes the label that the pattern leaves
//= TENDS; Plot; Gardener; Gardener.name output; Plot.soil filter
MATCH (g)-[:TENDS]->(p) WHERE p.soil = 'clay' RETURN g.name

//# an unlabelled end with two possible labels references both
//= Plot; GROWS; Crop; Vegetable; Crop.name output; Vegetable.name output
MATCH (p:Plot)-[:GROWS]->(c) RETURN c.name

//# a property narrows what an unlabelled end can be
//= Plot; GROWS; Vegetable; Vegetable.part output
MATCH (p:Plot)-[:GROWS]->(c) RETURN c.part

//# direction narrows
//= Gardener; TENDS; Plot; Plot.number output
MATCH (:Gardener)-[:TENDS]->(x) RETURN x.number

//# the other direction
//= Plot; TENDS; Gardener; Gardener.phone output
MATCH (:Plot)<-[:TENDS]-(x) RETURN x.phone

//# an undirected pattern leaves both ends open, the label of one decides
//= Tool; BORROWED; Gardener; Gardener.name output
MATCH (t:Tool)-[:BORROWED]-(x) RETURN x.name

//# an undirected pattern without labels
//= TENDS; Plot; Plot.soil output
MATCH (a)-[:TENDS]-(b) RETURN a.soil

//# an untyped relationship, named by the labels at its ends
//= Gardener; Tool; BORROWED; BORROWED.day output
MATCH (:Gardener)-[r]->(:Tool) RETURN r.day

//# an untyped relationship whose property two types could have
//= Gardener; Plot; TENDS; TENDS.hours filter; Plot.size output
MATCH (:Gardener)-[r]->(p:Plot) WHERE r.hours > 4 RETURN p.size

//# a relationship returned whole
//= Gardener; TENDS output; Plot
MATCH (:Gardener)-[t:TENDS]->(:Plot) RETURN t

//# a chain of unlabelled nodes
//= BORROWED; KEPT_IN; Shed; Tool; Gardener; Gardener.name output; Tool.label filter
MATCH (a)-[:BORROWED]->(b)-[:KEPT_IN]->(:Shed) WHERE b.label = 'spade' RETURN a.name

//# a lone unlabelled node can be anything that has the property
//= Gardener; Crop; Vegetable; Gardener.name output; Crop.name output; Vegetable.name output
MATCH (n) RETURN n.name

//# a lone unlabelled node with a property that nothing has
//? colour
MATCH (n) RETURN n.colour

//# a property that the pattern rules out
//= TENDS
//? price
MATCH (g)-[:TENDS]->(p) RETURN p.price

//# nothing named at all
//! references no label
MATCH (n) RETURN n

//# a label given later counts for the whole query
//= TENDS; Gardener; Gardener.phone output
MATCH (g)-[:TENDS]->() MATCH (g:Gardener) RETURN g.phone

//# several labels: each that has the property
//= Crop; Vegetable; Crop.name output; Vegetable.name output
MATCH (c:Crop:Vegetable) RETURN c.name

//# several labels: only one of them has the property
//= Crop; Vegetable; Vegetable.part output
MATCH (c:Crop&Vegetable) RETURN c.part

//# alternatives of labels
//= Crop; Gardener; Crop.name output; Gardener.name output
MATCH (n:Crop|Gardener) RETURN n.name

//# a denied label is mentioned but owns nothing
//= Crop; Vegetable; Crop.season output
MATCH (c:Crop&!Vegetable) RETURN c.season

//# a label expression in parentheses
//= Crop; Vegetable; Tool; Crop.name output; Vegetable.name output
MATCH (n:(Crop|Vegetable)&!Tool) RETURN n.name

//# any label
//= Tool; Tool.price output
MATCH (n:%) WHERE n:Tool RETURN n.price

//# a label predicate tells what the variable is
//= Tool; Tool.label output
MATCH (n) WHERE n:Tool RETURN n.label

//# a denied label predicate does not
//= Crop; Vegetable; Crop.days output
MATCH (c:Crop) WHERE NOT c:Vegetable RETURN c.days

//# alternatives in a label predicate
//= Gardener; Crop; Gardener.name output; Crop.name output
MATCH (n) WHERE n:Gardener OR n:Crop RETURN n.name

//# labels() compared with a text
//= Tool filter; Tool.price output
MATCH (n) WHERE 'Tool' IN labels(n) RETURN n.price

//# type() compared with a text
//= Gardener; Plot; TENDS filter; TENDS.since output
MATCH (:Gardener)-[r]-(:Plot) WHERE type(r) = 'TENDS' RETURN r.since

//# type() compared with a list
//= Gardener; KNOWS filter; TAUGHT filter; KNOWS.years output
MATCH (:Gardener)-[r]->(:Gardener) WHERE type(r) IN ['KNOWS', 'TAUGHT'] RETURN r.years

//# type() of another type
//= Gardener; TAUGHT; KNOWS; KNOWS.years output
MATCH (:Gardener)-[r]->(:Gardener) WHERE type(r) <> 'TAUGHT' RETURN r.years

//# alternatives of types
//= Gardener; KNOWS; TAUGHT; Gardener.name output filter
MATCH (a:Gardener)-[:KNOWS|TAUGHT]->(b:Gardener) WHERE a.name = 'Bo' RETURN b.name

//# the older way to write alternatives of types
//= Gardener output; KNOWS; TAUGHT
MATCH (a:Gardener)-[:KNOWS|:TAUGHT]-(b:Gardener) RETURN a

//# a denied type
//= Gardener; TAUGHT; KNOWS; KNOWS.years output
MATCH (:Gardener)-[r:!TAUGHT]->(:Gardener) RETURN r.years

//# properties in a relationship's map
//= Gardener output; BORROWED; Tool; BORROWED.returned filter
MATCH (g:Gardener)-[:BORROWED {returned: false}]->(:Tool) RETURN g

//# a property's map that takes its value from another node
//= Gardener; Crop; Vegetable output; Crop.name filter; Vegetable.name filter
MATCH (:Gardener), (c:Crop) MATCH (v:Vegetable {name: c.name}) RETURN v

//# a condition inside of a pattern
//= Plot; GROWS; Crop; Plot.size filter; GROWS.rows filter; Crop.name output
MATCH (p:Plot WHERE p.size > 20)-[r:GROWS WHERE r.rows < 3]->(c:Crop) RETURN c.name

//# variable length
//= Plot; BESIDE; Plot.number filter; Plot.soil output
MATCH (a:Plot {number: 4})-[:BESIDE*1..3]->(b) RETURN b.soil

//# variable length passes through other nodes
//= Gardener; BORROWED; KEPT_IN; Shed output
MATCH (g:Gardener)-[:BORROWED|KEPT_IN*2]->(s:Shed) RETURN s

//# variable length with a property of every step
//= Gardener; KNOWS; Gardener.name filter output; KNOWS.years filter
MATCH (a:Gardener {name: 'Bo'})-[k:KNOWS*1..4]->(b:Gardener) WHERE all(x IN k WHERE x.years > 2) RETURN b.name

//# a quantified relationship
//= Plot; BESIDE; Plot.soil output
MATCH (:Plot)-[:BESIDE]->{1,3}(b:Plot) RETURN b.soil

//# a quantified path
//= Plot; BESIDE; Plot.size filter; Plot.soil output
MATCH ((a:Plot)-[:BESIDE]->(b:Plot WHERE b.size > 3)){1,3} RETURN [x IN b | x.soil]

//# shortest path
//= Gardener output; KNOWS output; Gardener.name filter
MATCH p = shortestPath((a:Gardener {name: 'Bo'})-[:KNOWS*..6]-(b:Gardener {name: 'Cy'})) RETURN length(p), relationships(p)

//# a shortest path by word
//= Gardener output; KNOWS output
MATCH p = SHORTEST 2 (a:Gardener)-[:KNOWS]-+(b:Gardener) RETURN p

//# nodes of a path
//= Gardener; KNOWS; Gardener.name output
MATCH p = (:Gardener)-[:KNOWS*2]->(:Gardener) RETURN [n IN nodes(p) | n.name]

//# relationships of a path
//= Gardener; KNOWS; KNOWS.years output
MATCH p = (:Gardener)-[:KNOWS*2]->(:Gardener) RETURN [r IN relationships(p) | r.years]

//# ends of a relationship
//= TENDS; Gardener; Plot; Gardener.name output; Plot.number output
MATCH ()-[t:TENDS]->() RETURN startNode(t).name, endNode(t).number

//# WITH renames a node
//= Gardener; TENDS; Plot; Gardener.phone output
MATCH (g:Gardener)-[:TENDS]->(:Plot) WITH g AS tenant RETURN tenant.phone

//# WITH renames a property, which is returned and ordered by
//= Gardener; Gardener.joined nested output order
MATCH (g:Gardener) WITH g.joined AS day RETURN day ORDER BY day

//# a variable that WITH only passes on is not used
//= Gardener group; TENDS nested filter; Plot; Gardener.name output
MATCH (g:Gardener)-[t:TENDS]->(:Plot) WITH g, count(t) AS many WHERE many > 2 RETURN g.name

//# what WITH does not pass on is gone
//= Gardener group output; TENDS nested; Plot
//? p
MATCH (g:Gardener)-[t:TENDS]->(p:Plot) WITH g, count(t) AS many RETURN g, p.size

//# WITH * passes everything on
//= Gardener; TENDS; Plot; Plot.size nested output; Gardener.name output
MATCH (g:Gardener)-[:TENDS]->(p:Plot) WITH *, p.size AS area RETURN g.name, area

//# RETURN * returns what there is
//= Gardener output; TENDS output; Plot output
MATCH (g:Gardener)-[t:TENDS]->(p:Plot) RETURN *

//# WHERE after WITH may still see what was before
//= Gardener; Gardener.name nested output; Gardener.phone filter
MATCH (g:Gardener) WITH g.name AS name WHERE g.phone IS NOT NULL RETURN name

//# ORDER BY an alias of an aggregate
//= Plot; GROWS; Crop; GROWS.rows output order; Plot.number output group
MATCH (p:Plot)-[r:GROWS]->(:Crop) RETURN p.number, sum(r.rows) AS rows ORDER BY rows DESC LIMIT 3

//# ORDER BY an aggregate makes no groups of what is returned
//= Plot; GROWS order; Crop; Plot.number output
MATCH (p:Plot)-[r:GROWS]->(:Crop) RETURN p.number ORDER BY count(r) DESC

//# groups stand beside an aggregate
//= Crop; Crop.season output group; Crop.days output
MATCH (c:Crop) RETURN c.season, avg(c.days)

//# no groups without an aggregate
//= Crop; Crop.season output; Crop.days output
MATCH (c:Crop) RETURN c.season, c.days

//# DISTINCT
//= Crop; Crop.season output
MATCH (c:Crop) RETURN DISTINCT c.season

//# UNWIND of a collected list
//= Gardener nested; TENDS; Plot; Gardener.name output
MATCH (g:Gardener)-[:TENDS]->(:Plot) WITH collect(g) AS everyone UNWIND everyone AS one RETURN one.name

//# UNWIND of a property
//= Gardener; Gardener.plots nested output
MATCH (g:Gardener) UNWIND g.plots AS plot RETURN plot

//# the first of a collected list
//= Plot nested output; Plot.soil output
MATCH (p:Plot) WITH collect(p) AS plots RETURN head(plots).soil, plots[0].soil, plots[1..2]

//# a slice keeps what it is made of
//= Plot; Plot.soil nested output
MATCH (p:Plot) WITH collect(p.soil)[..3] AS soils RETURN soils

//# an entry of a map
//= Gardener nested; TENDS; Plot; Plot.size nested output; Gardener.name output
MATCH (g:Gardener)-[:TENDS]->(p:Plot) WITH {who: g, area: p.size} AS row RETURN row.who.name, row.area

//# a map projection
//= Gardener; Gardener.name output; Gardener.phone output
MATCH (g:Gardener) RETURN g {.name, number: g.phone}

//# a map projection of everything
//= Plot; Plot.number output; Plot.size output; Plot.soil output
MATCH (p:Plot) RETURN p {.*}

//# a map projection with a variable
//= Gardener; TENDS; Plot; Gardener.name output; Plot.soil nested output
MATCH (g:Gardener)-[:TENDS]->(p:Plot) WITH g, p.soil AS soil RETURN g {.name, soil}

//# an entry of a map projection
//= Gardener; Gardener.name nested output
MATCH (g:Gardener) WITH g {.name} AS card RETURN card.name

//# properties() is every property
//= Tool output; Tool.label output; Tool.price output
MATCH (t:Tool) RETURN properties(t)

//# keys() names none
//= Tool output
MATCH (t:Tool) RETURN keys(t)

//# a property by its name in brackets
//= Tool; Tool.price output
MATCH (t:Tool) RETURN t['price']

//# a part of a date is its property
//= Gardener; Gardener.joined filter output
MATCH (g:Gardener) WHERE g.joined.year = 2020 RETURN date(g.joined).month

//# a temporal function's own parts
//= Gardener; Gardener.joined filter; Gardener.name output
MATCH (g:Gardener) WHERE g.joined > date({year: 2020, month: 5, day: 1}) - duration({days: 3}) RETURN g.name

//# a list comprehension filters and gives
//= Gardener nested; KNOWS; Gardener.name nested group output; Gardener.phone filter
MATCH (g:Gardener)-[:KNOWS]->(f:Gardener) WITH g.name AS who, collect(f) AS friends RETURN who, [x IN friends WHERE x.phone IS NULL | x.name] AS silent

//# a pattern comprehension
//= Gardener; TENDS; Plot; Gardener.name output; Plot.size filter; Plot.number output
MATCH (g:Gardener) RETURN g.name, [(g)-[:TENDS]->(p:Plot) WHERE p.size > 9 | p.number] AS plots

//# a pattern comprehension whose variable stays inside
//= Gardener; TENDS; Plot; Plot.number output
//? p
MATCH (g:Gardener) RETURN [(g)-[:TENDS]->(p:Plot) | p.number], p.size

//# reduce
//= Plot; BESIDE; Plot.size output
MATCH path = (:Plot)-[:BESIDE*3]->(:Plot) RETURN reduce(area = 0, p IN nodes(path) | area + p.size)

//# quantifiers over a list
//= Plot; BESIDE; Plot.soil filter; Plot.number output
MATCH path = (a:Plot)-[:BESIDE*2]->(:Plot) WHERE any(p IN nodes(path) WHERE p.soil = 'sand') RETURN a.number

//# EXISTS with a pattern
//= Gardener; BORROWED; Tool; Gardener.name output; Tool.label filter
MATCH (g:Gardener) WHERE EXISTS { (g)-[:BORROWED]->(:Tool {label: 'saw'}) } RETURN g.name

//# EXISTS with a pattern and a condition
//= Gardener; BORROWED; Tool; Gardener.name output; BORROWED.day filter
MATCH (g:Gardener) WHERE EXISTS { (g)-[b:BORROWED]->(:Tool) WHERE b.day > date('2024-01-01') } RETURN g.name

//# EXISTS with a whole query
//= Gardener; TENDS; Plot; GROWS; Vegetable; Gardener.name output; Vegetable.part filter
MATCH (g:Gardener) WHERE EXISTS { MATCH (g)-[:TENDS]->(:Plot)-[:GROWS]->(v:Vegetable) WHERE v.part = 'root' } RETURN g.name

//# EXISTS with several patterns
//= Gardener; TENDS; BORROWED; Gardener.name output
MATCH (g:Gardener) WHERE EXISTS { (g)-[:TENDS]->(), (g)-[:BORROWED]->() } RETURN g.name

//# the older exists() with a pattern
//= Gardener; TAUGHT; Gardener.name output
MATCH (g:Gardener) WHERE exists((g)-[:TAUGHT]->()) RETURN g.name

//# the older exists() with a property
//= Gardener; Gardener.phone filter; Gardener.name output
MATCH (g:Gardener) WHERE exists(g.phone) RETURN g.name

//# a pattern as a condition
//= Gardener; TENDS; Plot; Gardener.name output
MATCH (g:Gardener) WHERE (g)-[:TENDS]->(:Plot) RETURN g.name

//# a denied pattern
//= Gardener; TENDS; Gardener.name output
MATCH (g:Gardener) WHERE NOT (g)-[:TENDS]->() RETURN g.name

//# patterns among other conditions in parentheses
//= Gardener; TENDS; BORROWED; Gardener.phone filter; Gardener.name output
MATCH (g:Gardener) WHERE (g.phone = '12' OR (g)-[:TENDS]->()) AND NOT ((g)-[:BORROWED]->() OR (g.phone) IS NULL) RETURN g.name

//# COUNT with a pattern
//= Gardener; TENDS; Gardener.name output
MATCH (g:Gardener) WHERE COUNT { (g)-[:TENDS]->() } > 1 RETURN g.name

//# COUNT with a condition, ordered by
//= Gardener; TENDS; Plot; Gardener.name output; Plot.size filter
MATCH (g:Gardener) RETURN g.name ORDER BY COUNT { (g)-[:TENDS]->(p:Plot) WHERE p.size > 2 } DESC

//# COLLECT
//= Gardener; TENDS; Plot; Gardener.name output; Plot.number nested output
MATCH (g:Gardener) WITH g, COLLECT { MATCH (g)-[:TENDS]->(p:Plot) RETURN p.number } AS numbers RETURN g.name, numbers

//# size of a pattern, as older versions had it
//= Gardener; TENDS; Gardener.name output
MATCH (g:Gardener) WHERE size((g)-[:TENDS]->()) > 1 RETURN g.name

//# CALL with imported variables
//= Gardener; TENDS nested output order; Gardener.name output
MATCH (g:Gardener) CALL { WITH g MATCH (g)-[t:TENDS]->() RETURN count(t) AS many } RETURN g.name, many ORDER BY many

//# CALL that lists its variables
//= Gardener; TENDS; Plot; Gardener.name output; Plot.size nested output
MATCH (g:Gardener) CALL (g) { MATCH (g)-[:TENDS]->(p:Plot) RETURN max(p.size) AS largest } RETURN g.name, largest

//# CALL that sees nothing of the outside has variables of its own
//= Gardener; Tool; Tool.price nested output; Gardener.name output
MATCH (g:Gardener) CALL { MATCH (g:Tool) RETURN min(g.price) AS least } RETURN g.name, least

//# CALL of a union
//= Gardener; Crop; Gardener.name nested output; Crop.name nested output
CALL { MATCH (g:Gardener) RETURN g.name AS name UNION MATCH (c:Crop) RETURN c.name AS name } RETURN name

//# a union
//= Gardener; Tool; Gardener.name output; Tool.label output
MATCH (g:Gardener) RETURN g.name AS name UNION ALL MATCH (t:Tool) RETURN t.label AS name

//# branches of a union do not see each other
//= Gardener; Tool; Gardener.name output
//? g
MATCH (g:Gardener) RETURN g.name AS name UNION MATCH (:Tool) RETURN g.name AS name

//# CASE
//= Plot; Plot.size output; Plot.soil output; Plot.number output
MATCH (p:Plot) RETURN CASE WHEN p.size > 5 THEN p.soil ELSE p.number END AS told

//# CASE with a value
//= Plot; Plot.soil output
MATCH (p:Plot) RETURN CASE p.soil WHEN 'clay' THEN 1 ELSE 0 END AS heavy

//# coalesce
//= Gardener; Gardener.phone output; Gardener.name output
MATCH (g:Gardener) RETURN coalesce(g.phone, g.name)

//# arithmetic inside of an aggregate
//= Gardener; BORROWED; Tool; Tool.price output
MATCH (:Gardener)-[:BORROWED]->(t:Tool) RETURN sum(t.price * 0.1) + 1 AS fee

//# text conditions
//= Crop; Crop.name filter; Crop.season filter; Crop.days output
MATCH (c:Crop) WHERE c.name STARTS WITH 'B' AND c.season =~ '(?i)spring.*' XOR c.name CONTAINS 'ean' RETURN c.days

//# identity of nodes
//= Gardener filter output; KNOWS
MATCH (a:Gardener)-[:KNOWS]->(b:Gardener) WHERE a <> b AND id(a) < id(b) RETURN a

//# OPTIONAL MATCH
//= Gardener; BORROWED; Tool; Gardener.name output; Tool.label output
MATCH (g:Gardener) OPTIONAL MATCH (g)-[:BORROWED]->(t:Tool) RETURN g.name, t.label

//# a Cartesian product
//= Gardener; Tool; Gardener.name output; Tool.label output
MATCH (g:Gardener), (t:Tool) RETURN g.name, t.label

//# comments and a semicolon at the end
//= Gardener; Gardener.name output
MATCH (g:Gardener) // who
RETURN g.name /* all of them */ ;

//# words in lower case
//= Gardener; Gardener.name output order
match (g:Gardener) return g.name order by g.name desc skip 1 limit 2

//# parameters
//= Gardener; Gardener.name filter output
MATCH (g:Gardener) WHERE g.name = $name RETURN g.name LIMIT $most

//# a procedure that yields nodes
//= Crop; Crop.days output
CALL db.index.fulltext.queryNodes('crops', 'bean') YIELD node, score RETURN node.days, score

//# a procedure that yields something else references nothing
//! references no label
CALL db.labels() YIELD label RETURN label

//# a variable that nothing binds
//= Gardener output
//? other
MATCH (g:Gardener) RETURN g, other.name

//# what writes is no query
//! contains SET
MATCH (g:Gardener) SET g.phone = '1' RETURN g

//# what creates is no query
//! contains CREATE
CREATE (g:Gardener {name: 'Eve'}) RETURN g

//# what merges is no query
//! contains MERGE
MERGE (g:Gardener {name: 'Eve'}) RETURN g

//# what deletes is no query
//! contains DELETE
MATCH (g:Gardener) DETACH DELETE g

//# what returns nothing is no query
//! returns nothing
MATCH (g:Gardener)

//# GROUP BY is SQL
//! GROUP BY
MATCH (c:Crop) RETURN c.season, count(*) GROUP BY c.season

//# SQL is no Cypher
//! Expected a query clause
SELECT name FROM Gardener

//# two statements
//! Unexpected token
MATCH (g:Gardener) RETURN g; MATCH (t:Tool) RETURN t

//# prose around a query
//! Expected a query clause
Here is the query: MATCH (g:Gardener) RETURN g

//# a fence around a query
//! Expected a query clause
```cypher
MATCH (g:Gardener) RETURN g
```

//# an empty text
//! empty
;

//# a parenthesis too few
//! expected
MATCH (g:Gardener RETURN g
