// Cargo ships: names with spaces, a label and a type of one name but for case, words of the language as names.
(:`Cargo Ship` {`call sign`: STRING, flag: STRING, length: INTEGER, end: DATE})
(:Order {number: INTEGER, placed: DATE_TIME, count: INTEGER})
(:Port {name: STRING, location: POINT, depth: FLOAT})
(:Country {name: STRING, code: STRING})
(:Person {name: STRING, born: DATE})
(:Captain {name: STRING, born: DATE, licence: STRING})
[:CARRIES {tons: INTEGER}]
[:`BOUND FOR` {eta: DATE_TIME}]
[:ORDER {position: INTEGER}]
[:IN {since: DATE}]
[:COMMANDS {since: DATE}]
(:`Cargo Ship`)-[:CARRIES]->(:Order)
(:`Cargo Ship`)-[:`BOUND FOR`]->(:Port)
(:Port)-[:ORDER]->(:Order)
(:Port)-[:IN]->(:Country)
(:Captain)-[:COMMANDS]->(:`Cargo Ship`)
