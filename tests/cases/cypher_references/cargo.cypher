//# backticks
//= Cargo Ship; BOUND FOR; Port; Cargo Ship.call sign output; Port.name filter
MATCH (s:`Cargo Ship`)-[:`BOUND FOR`]->(p:Port) WHERE p.name = 'Cork' RETURN s.`call sign`

//# a variable in backticks
//= Port; Port.depth output
MATCH (`the port`:Port) RETURN `the port`.depth AS `how deep`

//# words of the language as labels, types, properties and variables
//= Port; ORDER; Order; ORDER.position filter; Order.count output; Order.placed order
MATCH (:Port)-[r:ORDER]->(order:Order) WHERE r.position = 1 RETURN order.count ORDER BY order.placed

//# a label and a type of one name
//= Order; ORDER; ORDER.position output; Order.number output
MATCH (o:Order)<-[x:ORDER]-() RETURN x.position, o.number

//# the type IN
//= Port; IN; Country; Country.code filter; IN.since output
MATCH (:Port)-[i:IN]->(:Country {code: 'IE'}) RETURN i.since

//# an alias that is a word of the language
//= Order; Order.count output order
MATCH (o:Order) RETURN sum(o.count) AS Count ORDER BY Count DESC

//# a property called end
//= Cargo Ship; Cargo Ship.end filter; Cargo Ship.flag output
MATCH (s:`Cargo Ship`) WHERE s.end IS NULL RETURN s.flag

//# a label that the catalog's patterns leave out
//= Person; COMMANDS; Cargo Ship; Cargo Ship.flag output; Person.name filter
MATCH (p:Person {name: 'Ree'})-[:COMMANDS]->(s) RETURN s.flag

//# what is possible at the unlabelled end of such a pattern
//= Cargo Ship; COMMANDS; Captain; Captain.licence output
MATCH (:`Cargo Ship`)<-[:COMMANDS]-(x) RETURN x.licence

//# two types with the same property, told apart by their ends
//= Port; Country; IN; IN.since output
MATCH (:Port)-[r]->(:Country) RETURN r.since

//# two types with the same property, not told apart
//= IN; COMMANDS; IN.since output; COMMANDS.since output
MATCH ()-[r]->() RETURN r.since

//# points have parts
//= Port; Port.location filter; Port.name output
MATCH (p:Port) WHERE p.location.latitude > 50 AND point.distance(p.location, point({latitude: 51, longitude: -8})) < 900 RETURN p.name

//# an unknown label leaves its properties untold
//= BOUND FOR; Port
//? Ferry
MATCH (f:Ferry {name: 'x'})-[:`BOUND FOR`]->(:Port) RETURN f.deck

//# an unknown type
//= Cargo Ship; Port; Cargo Ship.flag output
//? SAILS_TO
MATCH (s:`Cargo Ship`)-[r:SAILS_TO]->(:Port) RETURN s.flag, r.day

//# an unknown property in a pattern
//= Port output
//? Port.city
MATCH (p:Port {city: 'Cork'}) RETURN p

//# a known label where the type wants another: names are all that counts
//= Country output; CARRIES
MATCH (c:Country)-[:CARRIES]->() RETURN c

//# several hops to an unlabelled node
//= Captain; COMMANDS; BOUND FOR; IN; Country; Captain.licence filter; Country.name output
MATCH (:Captain {licence: 'A'})-[:COMMANDS]->()-[:`BOUND FOR`]->()-[:IN]->(land) RETURN land.name

//# an aggregate in a condition after WITH
//= Port group; BOUND FOR nested filter; Cargo Ship; Port.name output; Cargo Ship.length nested order
MATCH (p:Port)<-[b:`BOUND FOR`]-(s:`Cargo Ship`) WITH p, count(b) AS ships, max(s.length) AS longest WHERE ships > 1 RETURN p.name ORDER BY longest

//# a version before the query
//= Port; Port.name output
CYPHER 5 MATCH (p:Port) RETURN p.name
