-- A film festival: people and films are joined by roles, by credits and by awards, each a different meaning.
CREATE TABLE person ( -- 70 rows
  person_id INTEGER PRIMARY KEY, -- number
  name TEXT NOT NULL,            -- person
  country TEXT,                  -- one of Chile; Chile; Estonia; Ghana; Ireland; Japan; Japan; Portugal
  birth_year INTEGER             -- 1941 to 2004
);

CREATE TABLE film ( -- 40 rows
  film_id INTEGER PRIMARY KEY,   -- number
  title TEXT NOT NULL,           -- each The Salt Road; Nine Lanterns; Hollow Tide; A Borrowed Winter; Paper Harbour; The Ninth Clerk; Marrow; Under Slate Roofs; Lemon Street; Static; The Weight of Bees; Undertow; Last Ferry to Oran; Copper Moth; Kitchen Physics; Snow on the Antenna; Little Empires; The Glass Orchard; Nobody's Tuesday; Quarry; Three Rooms; Blue Permit; The Interpreter's Dog; Fallow; Tin Parade; Overnight Mail; The Long Subtraction; Saffron Hill; Cold Frames; Mother of Pearl; The Cartographers; Night Bakery; Almost Islands; Velvet Engine; Distant Relatives; Rehearsal for Rain; The Understudy; Seven Small Fires; Gravel; Homing
  year INTEGER NOT NULL,         -- 2016 to 2024
  minutes INTEGER NOT NULL,      -- 12 to 168
  genre TEXT NOT NULL,           -- one of drama; drama; documentary; comedy; thriller; animation
  country TEXT NOT NULL          -- one of Chile; Estonia; Ghana; Ireland; Japan; Portugal
);

CREATE TABLE role ( -- 190 rows
  film_id INTEGER NOT NULL REFERENCES film(film_id),       -- any film.film_id
  person_id INTEGER NOT NULL REFERENCES person(person_id), -- any person.person_id
  part TEXT NOT NULL,            -- one of lead; lead; supporting; supporting; supporting; cameo; voice
  PRIMARY KEY (film_id, person_id)
);

CREATE TABLE credit ( -- 160 rows
  film_id INTEGER NOT NULL REFERENCES film(film_id),       -- each film.film_id
  person_id INTEGER NOT NULL REFERENCES person(person_id), -- any person.person_id
  job TEXT NOT NULL,             -- one of director; director; writer; writer; producer; editor; composer
  PRIMARY KEY (film_id, person_id, job)
);

CREATE TABLE prize ( -- 8 rows
  prize_id INTEGER PRIMARY KEY,  -- number
  name TEXT NOT NULL,            -- each Golden Heron; Silver Heron; Audience Prize; Critics' Circle; Best Debut; Best Script; Best Performance; Short Film Prize
  sum_eur INTEGER                -- each 50000; 20000; 10000; 5000; 15000; 8000; 12000; 6000
);

CREATE TABLE award ( -- 60 rows
  award_id INTEGER PRIMARY KEY,  -- number
  prize_id INTEGER NOT NULL REFERENCES prize(prize_id),    -- any prize.prize_id
  film_id INTEGER NOT NULL REFERENCES film(film_id),       -- any film.film_id
  person_id INTEGER REFERENCES person(person_id),          -- any person.person_id | 40% none
  year INTEGER NOT NULL,         -- 2018 to 2024
  won INTEGER NOT NULL           -- one of 0; 0; 1
);

CREATE TABLE cinema ( -- 5 rows
  cinema_id INTEGER PRIMARY KEY, -- number
  name TEXT NOT NULL,            -- each Apollo; Bellevue; Corso; Delphi; Eldorado
  seats INTEGER NOT NULL         -- each 420; 180; 96; 260; 64
);

CREATE TABLE screening ( -- 130 rows
  screening_id INTEGER PRIMARY KEY, -- number
  film_id INTEGER NOT NULL REFERENCES film(film_id),          -- any film.film_id
  cinema_id INTEGER NOT NULL REFERENCES cinema(cinema_id),    -- any cinema.cinema_id
  day TEXT NOT NULL,             -- day 2024-09-05 to 2024-09-15
  starts TEXT NOT NULL,          -- one of 11:00; 14:30; 18:00; 20:15; 22:30
  sold INTEGER                   -- sql SELECT seats * (40 + screening_id * 7 % 61) / 100 FROM cinema c WHERE c.cinema_id = screening.cinema_id
);
