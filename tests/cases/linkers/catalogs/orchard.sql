-- Two equally short ways lead from orchard to variety; nothing leads to weather; a stall has spaces in its names.
CREATE TABLE grower (id INTEGER PRIMARY KEY, full_name TEXT, village TEXT);
CREATE TABLE orchard (id INTEGER PRIMARY KEY, grower_id INTEGER REFERENCES grower (id), hectares REAL);
CREATE TABLE variety (id INTEGER PRIMARY KEY, label TEXT, colour TEXT);
CREATE TABLE planting (
  orchard_id INTEGER REFERENCES orchard (id), variety_id INTEGER REFERENCES variety (id), trees INTEGER
);
CREATE TABLE harvest (
  id INTEGER PRIMARY KEY, orchard_id INTEGER REFERENCES orchard (id), variety_id INTEGER REFERENCES variety (id),
  picked_on TEXT, kilos REAL
);
CREATE TABLE "market stall" ("stall no" INTEGER PRIMARY KEY, town TEXT, "Open (Y/N)" TEXT);
CREATE TABLE "Order" (
  id INTEGER PRIMARY KEY, harvest_id INTEGER REFERENCES harvest (id),
  "stall no" INTEGER REFERENCES "market stall" ("stall no"), price REAL
);
CREATE TABLE weather (day TEXT, rain REAL);
