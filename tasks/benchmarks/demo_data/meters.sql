-- Meters of a housing cooperative: composite keys, a tree of meters, codes that need explaining, and a view.
CREATE TABLE building ( -- 9 rows
  building_id INTEGER PRIMARY KEY, -- number
  street TEXT NOT NULL,          -- each Ahornweg; Birkenweg; Buchenallee; Eichenstieg; Erlengrund; Fichtenweg; Kastanienplatz; Lindenhof; Ulmenring
  built INTEGER NOT NULL,        -- 1911 to 2019
  floor_area REAL NOT NULL,      -- 640.0 to 4200.0
  heating TEXT NOT NULL          -- each DH; DH; GAS; HP; DH; HP; GAS; DH; HP
);

CREATE TABLE flat ( -- 80 rows
  building_id INTEGER NOT NULL REFERENCES building, -- any building.building_id
  door INTEGER NOT NULL,         -- 1 to 24
  rooms INTEGER NOT NULL,        -- 1 to 5
  area REAL NOT NULL,            -- 24.0 to 128.0
  PRIMARY KEY (building_id, door)
);

CREATE TABLE tenant ( -- 72 rows
  tenant_id INTEGER PRIMARY KEY, -- number
  name TEXT NOT NULL,            -- person
  building_id INTEGER,           -- sql (SELECT building_id FROM flat f WHERE f.rowid = (tenant.tenant_id - 1) % (SELECT count(*) FROM flat) + 1)
  door INTEGER,                  -- sql (SELECT door FROM flat f WHERE f.rowid = (tenant.tenant_id - 1) % (SELECT count(*) FROM flat) + 1)
  moved_in TEXT NOT NULL,        -- day 2009-01-01 to 2023-11-30
  moved_out TEXT,                -- moved_in + 200 to 4000 days | 75% none
  FOREIGN KEY (building_id, door) REFERENCES flat(building_id, door)
);

CREATE TABLE meter ( -- 60 rows
  meter_id INTEGER PRIMARY KEY,  -- number
  building_id INTEGER NOT NULL REFERENCES building, -- any building.building_id
  parent_id INTEGER REFERENCES meter, -- sql CASE WHEN meter_id > 6 THEN meter_id / 3 END
  medium TEXT NOT NULL,          -- one of E; E; W; H; H
  installed TEXT NOT NULL        -- day 2005-01-01 to 2022-12-31
);

CREATE TABLE reading ( -- 700 rows
  meter_id INTEGER NOT NULL REFERENCES meter, -- any meter.meter_id
  month TEXT NOT NULL,           -- one of 2023-01; 2023-02; 2023-03; 2023-04; 2023-05; 2023-06; 2023-07; 2023-08; 2023-09; 2023-10; 2023-11; 2023-12
  used REAL NOT NULL,            -- 3.0 to 940.0
  estimated INTEGER NOT NULL,    -- one of 0; 0; 0; 0; 1
  PRIMARY KEY (meter_id, month)
);

CREATE TABLE tariff ( -- 18 rows
  medium TEXT NOT NULL,          -- each E; W; H
  valid_from TEXT NOT NULL,      -- one of 2021-01; 2022-01; 2022-07; 2023-01; 2023-07
  price REAL NOT NULL,           -- 0.08 to 0.60
  PRIMARY KEY (medium, valid_from)
);

CREATE TABLE fault ( -- 46 rows
  fault_id INTEGER PRIMARY KEY,  -- number
  meter_id INTEGER NOT NULL REFERENCES meter, -- any meter.meter_id
  reported TEXT NOT NULL,        -- day 2022-03-01 to 2023-12-31
  severity INTEGER NOT NULL,     -- one of 1; 1; 2; 2; 3
  fixed TEXT                     -- reported + 0 to 90 days | 20% none
);

-- finish
CREATE VIEW yearly_use AS
SELECT meter_id, substr(month, 1, 4) AS year, sum(used) AS used FROM reading GROUP BY meter_id, substr(month, 1, 4);
