// A graph: node labels, relationship types, patterns.
(:Person {name: STRING, born: INTEGER})
(:Movie {title: STRING, released: INTEGER})
(:Genre {kind: STRING})
(:Studio {city: STRING})
[:ACTED_IN {role: STRING}]
[:DIRECTED]
[:OF]
[:MADE {budget: INTEGER}]
(:Person)-[:ACTED_IN]->(:Movie)
(:Person)-[:DIRECTED]->(:Movie)
(:Movie)-[:OF]->(:Genre)
(:Studio)-[:MADE]->(:Movie)
