-- Ferry lines where the short way between two tables seldom is the meant one: a passenger's home port is not where he travels.
CREATE TABLE port ( -- 12 rows
  port_id INTEGER PRIMARY KEY,   -- number
  name TEXT NOT NULL,            -- each Aros; Brannvik; Callais Quay; Dervent; Eskholm; Fornes; Grimsund; Hailuoto; Isle of Fenn; Jarva; Kolby; Lindhaven
  country TEXT NOT NULL,         -- each DK; NO; FR; GB; SE; NO; SE; FI; GB; EE; DK; SE
  berths INTEGER NOT NULL        -- 1 to 9
);

CREATE TABLE company ( -- 4 rows
  company_id INTEGER PRIMARY KEY, -- number
  name TEXT NOT NULL,            -- each Nordlinje; Blue Gannet; Sundexpress; Kystruten
  seat_port_id INTEGER NOT NULL REFERENCES port(port_id)   -- each 1; 2; 7; 6
);

CREATE TABLE ship ( -- 11 rows
  ship_id INTEGER PRIMARY KEY,   -- number
  company_id INTEGER NOT NULL REFERENCES company(company_id), -- any company.company_id
  name TEXT NOT NULL,            -- each Astrid; Borealis; Cormorant; Dagny; Eider; Freya; Gannet; Heimdal; Ingrid; Jutta; Kestrel
  registered_port_id INTEGER NOT NULL REFERENCES port(port_id), -- one of 1; 1; 2; 6; 7; 9
  built INTEGER NOT NULL,        -- 1978 to 2022
  cars INTEGER NOT NULL          -- 20 to 480
);

CREATE TABLE route ( -- 22 rows
  route_id INTEGER PRIMARY KEY,  -- number
  from_port_id INTEGER NOT NULL REFERENCES port(port_id),  -- any port.port_id
  to_port_id INTEGER NOT NULL REFERENCES port(port_id),    -- each port.port_id
  sea_miles INTEGER NOT NULL,    -- 8 to 320
  season TEXT NOT NULL,          -- one of all year; all year; all year; summer
  UNIQUE (from_port_id, to_port_id), CHECK (from_port_id <> to_port_id)
);

CREATE TABLE sailing ( -- 260 rows
  sailing_id INTEGER PRIMARY KEY, -- number
  route_id INTEGER NOT NULL REFERENCES route(route_id),    -- any route.route_id
  ship_id INTEGER NOT NULL REFERENCES ship(ship_id),       -- any ship.ship_id
  departs TEXT NOT NULL,         -- day 2023-05-01 to 2023-09-30
  delay_min INTEGER NOT NULL     -- one of 0; 0; 0; 0; 5; 10; 25; 70
);

CREATE TABLE passenger ( -- 120 rows
  passenger_id INTEGER PRIMARY KEY, -- number
  name TEXT NOT NULL,            -- person
  born INTEGER NOT NULL,         -- 1938 to 2012
  home_port_id INTEGER NOT NULL REFERENCES port(port_id)   -- any port.port_id
);

CREATE TABLE booking ( -- 520 rows
  booking_id INTEGER PRIMARY KEY, -- number
  passenger_id INTEGER NOT NULL REFERENCES passenger(passenger_id), -- any passenger.passenger_id
  sailing_id INTEGER NOT NULL REFERENCES sailing(sailing_id), -- any sailing.sailing_id
  fare REAL NOT NULL,            -- 14.00 to 210.00
  with_car INTEGER NOT NULL,     -- one of 0; 0; 1
  cancelled INTEGER NOT NULL     -- one of 0; 0; 0; 0; 0; 1
);

CREATE TABLE crew ( -- 34 rows
  crew_id INTEGER PRIMARY KEY,   -- number
  name TEXT NOT NULL,            -- person
  rank TEXT NOT NULL,            -- one of captain; mate; engineer; engineer; steward; steward; deckhand
  company_id INTEGER NOT NULL REFERENCES company(company_id) -- any company.company_id
);

CREATE TABLE duty ( -- 420 rows
  sailing_id INTEGER NOT NULL REFERENCES sailing(sailing_id), -- any sailing.sailing_id
  crew_id INTEGER NOT NULL REFERENCES crew(crew_id),       -- any crew.crew_id
  hours REAL NOT NULL,           -- 3.0 to 14.0
  PRIMARY KEY (sailing_id, crew_id)
);
