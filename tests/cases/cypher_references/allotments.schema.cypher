// Allotment gardens: crops have a second label, gardeners know each other, plots lie beside each other.
(:Gardener {name: STRING, joined: DATE, phone: STRING, plots: LIST})
(:Plot {number: INTEGER, size: FLOAT, soil: STRING})
(:Crop {name: STRING, season: STRING, days: INTEGER})
(:Vegetable {name: STRING, season: STRING, part: STRING})
(:Tool {label: STRING, price: FLOAT})
(:Shed)
[:TENDS {since: DATE, hours: INTEGER}]
[:GROWS {rows: INTEGER, sown: DATE}]
[:BORROWED {day: DATE, returned: BOOLEAN}]
[:KNOWS {years: INTEGER}]
[:BESIDE]
[:KEPT_IN]
[:TAUGHT]
(:Gardener)-[:TENDS]->(:Plot)
(:Plot)-[:GROWS]->(:Crop)
(:Plot)-[:GROWS]->(:Vegetable)
(:Plot)-[:BESIDE]->(:Plot)
(:Gardener)-[:BORROWED]->(:Tool)
(:Tool)-[:KEPT_IN]->(:Shed)
(:Gardener)-[:KNOWS]->(:Gardener)
(:Gardener)-[:TAUGHT]->(:Gardener)
