-- An animal clinic that declares one foreign key only; the names of the id columns tell the rest.
CREATE TABLE owner ( -- 60 rows
  owner_id INTEGER PRIMARY KEY, -- number from 100
  name TEXT NOT NULL,           -- person
  city TEXT,                    -- one of Larvik; Moss; Moss; Narvik; Odda
  phone TEXT,                   -- code +47 555 {:05} | 10% none
  since TEXT                    -- day 2015-01-01 to 2023-12-31
);

CREATE TABLE pet ( -- 95 rows
  pet_id INTEGER PRIMARY KEY,   -- number
  owner_id INTEGER,             -- any owner.owner_id
  name TEXT NOT NULL,           -- one of Bongo; Cleo; Dash; Elmo; Fidget; Gizmo; Hazel; Iggy; Juno; Kiwi; Loki; Mocha; Nacho; Otto; Pepper
  species TEXT NOT NULL,        -- one of dog; dog; dog; cat; cat; rabbit; parrot; tortoise
  born TEXT,                    -- day 2008-01-01 to 2023-06-30
  weight_kg REAL                -- sql round(CASE species WHEN 'dog' THEN 4 + pet_id * 7 % 31 WHEN 'cat' THEN 2.6 + pet_id % 8 * 0.6 WHEN 'rabbit' THEN 1.1 + pet_id % 5 * 0.5 WHEN 'parrot' THEN 0.4 + pet_id % 3 * 0.2 ELSE 0.9 + pet_id % 7 END, 1)
);

CREATE TABLE vet ( -- 6 rows
  vet_id INTEGER PRIMARY KEY,   -- number
  name TEXT NOT NULL,           -- person
  field TEXT NOT NULL,          -- each general; surgery; dental; general; exotic animals; skin
  room TEXT                     -- code R{}
);

CREATE TABLE visit ( -- 260 rows
  visit_id INTEGER PRIMARY KEY, -- number from 1000
  pet_id INTEGER NOT NULL,      -- any pet.pet_id
  vet_id INTEGER NOT NULL REFERENCES vet(vet_id), -- any vet.vet_id
  day TEXT NOT NULL,            -- day 2022-01-01 to 2024-05-31
  cause TEXT NOT NULL,          -- one of check-up; check-up; limping; itching; not eating; injury; teeth
  fee REAL NOT NULL             -- 25.00 to 180.00
);

CREATE TABLE drug ( -- 14 rows
  drug_id INTEGER PRIMARY KEY,  -- number
  name TEXT NOT NULL,           -- each Amivet; Borusan; Canilex; Dermaphen; Enrovit; Felisol; Gastrovet; Hepamil; Itraderm; Ketosan; Larvex; Milbesan; Nocivet; Otiphar
  kind TEXT NOT NULL,           -- each AB; AB; PK; SK; AB; PK; GI; GI; SK; PK; PA; PA; PK; SK
  price_per_dose REAL           -- 0.80 to 12.50
);

CREATE TABLE prescription ( -- 190 rows
  prescription_id INTEGER PRIMARY KEY, -- number
  visit_id INTEGER NOT NULL,    -- any visit.visit_id
  drug_id INTEGER NOT NULL,     -- any drug.drug_id
  doses INTEGER NOT NULL        -- 1 to 20
);

CREATE TABLE vaccination ( -- 130 rows
  vaccination_id INTEGER PRIMARY KEY, -- number
  pet_id INTEGER NOT NULL,      -- any pet.pet_id
  vaccine TEXT NOT NULL,        -- one of rabies; rabies; distemper; parvo; flu
  given TEXT NOT NULL,          -- day 2021-06-01 to 2024-05-31
  due TEXT                      -- given + 330 to 400 days
);

CREATE TABLE boarding ( -- 70 rows
  boarding_id INTEGER PRIMARY KEY, -- number
  pet_id INTEGER NOT NULL,      -- any pet.pet_id
  kennel TEXT NOT NULL,         -- one of A1; A2; A3; B1; B2
  arrived TEXT NOT NULL,        -- day 2023-01-01 to 2024-05-20
  nights INTEGER NOT NULL       -- 1 to 14
);
