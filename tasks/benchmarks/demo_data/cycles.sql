-- A bicycle shop with a workshop: plain names, every foreign key declared.
CREATE TABLE employee ( -- 9 rows
  employee_id INTEGER PRIMARY KEY, -- number
  full_name TEXT NOT NULL,         -- person
  job TEXT NOT NULL,               -- each manager; mechanic; mechanic; sales; mechanic; sales; apprentice; mechanic; sales
  hired_on TEXT NOT NULL,          -- day 2012-01-01 to 2022-12-31
  hourly_wage REAL,                -- 15.00 to 31.00
  manager_id INTEGER REFERENCES employee(employee_id) -- sql CASE WHEN employee_id IN (2, 4) THEN 1 WHEN employee_id > 2 THEN 2 + 2 * (employee_id % 2) END
);

CREATE TABLE customer ( -- 90 rows
  customer_id INTEGER PRIMARY KEY, -- number
  full_name TEXT NOT NULL,         -- person
  town TEXT,                       -- one of Almere; Almere; Brugge; Colmar; Delft; Delft; Emden; Freising
  email TEXT,                      -- code rider{:03}@post.example | 15% none
  joined_on TEXT NOT NULL,         -- day 2018-01-01 to 2023-06-30
  newsletter INTEGER NOT NULL      -- one of 0; 1; 1
);

CREATE TABLE brand ( -- 7 rows
  brand_id INTEGER PRIMARY KEY,    -- number
  name TEXT NOT NULL,              -- each Aerovel; Bergziege; Cadenza; Dunewind; Ebbing; Fennek; Gletsch
  country TEXT NOT NULL            -- each Netherlands; Germany; Italy; Denmark; Netherlands; Germany; Switzerland
);

CREATE TABLE bike ( -- 48 rows
  bike_id INTEGER PRIMARY KEY,     -- number
  brand_id INTEGER NOT NULL REFERENCES brand(brand_id), -- any brand.brand_id
  model TEXT NOT NULL,             -- code Mk {:02}
  category TEXT NOT NULL,          -- one of city; city; touring; mountain; cargo; electric; race
  frame_cm INTEGER,                -- 46 to 62
  list_price REAL NOT NULL,        -- 399.00 to 4899.00
  in_stock INTEGER NOT NULL        -- one of 0; 0; 1; 2; 3; 5; 8
);

CREATE TABLE sale ( -- 160 rows
  sale_id INTEGER PRIMARY KEY,     -- number
  customer_id INTEGER NOT NULL REFERENCES customer(customer_id), -- any customer.customer_id
  bike_id INTEGER NOT NULL REFERENCES bike(bike_id),             -- any bike.bike_id
  employee_id INTEGER NOT NULL REFERENCES employee(employee_id), -- one of 4; 6; 6; 9; 9; 9
  sold_on TEXT NOT NULL,           -- day 2021-01-01 to 2024-03-31
  paid REAL                        -- sql SELECT round(list_price * (1 - (sale_id % 5) * 0.03), 2) FROM bike b WHERE b.bike_id = sale.bike_id
);

CREATE TABLE repair ( -- 220 rows
  repair_id INTEGER PRIMARY KEY,   -- number
  customer_id INTEGER NOT NULL REFERENCES customer(customer_id), -- any customer.customer_id
  mechanic_id INTEGER NOT NULL REFERENCES employee(employee_id), -- one of 2; 3; 3; 5; 5; 5; 7; 8
  brought_in TEXT NOT NULL,        -- day 2022-01-01 to 2024-03-31
  finished_on TEXT,                -- brought_in + 0 to 21 days | 8% none
  problem TEXT NOT NULL,           -- one of puncture; puncture; brakes; gears; gears; wheel; lights; motor
  labour_hours REAL                -- 0.5 to 6.0 | 5% none
);

CREATE TABLE part ( -- 24 rows
  part_id INTEGER PRIMARY KEY,     -- number
  name TEXT NOT NULL,              -- each inner tube; tyre; brake pad; brake cable; chain; cassette; derailleur; spoke; rim; hub; dynamo; front lamp; rear lamp; saddle; pedal; bottom bracket; battery; motor belt; bell; grip; mudguard; rack; kickstand; valve
  unit_cost REAL NOT NULL,         -- 1.50 to 89.00
  supplier TEXT                    -- one of Rulo; Tandwiel & Co; Speichenwerk
);

CREATE TABLE repair_part ( -- 330 rows
  repair_id INTEGER NOT NULL REFERENCES repair(repair_id), -- any repair.repair_id
  part_id INTEGER NOT NULL REFERENCES part(part_id),       -- any part.part_id
  quantity INTEGER NOT NULL,       -- one of 1; 1; 1; 2; 2; 4
  PRIMARY KEY (repair_id, part_id)
);
