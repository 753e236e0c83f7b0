-- dialect: sqlite
CREATE TABLE baker (
    id INTEGER PRIMARY KEY,
    name TEXT,
    trained_by INTEGER REFERENCES baker (id),
    town TEXT
);
CREATE TABLE bread (
    code TEXT PRIMARY KEY,
    name TEXT,
    grams INTEGER,
    price REAL,
    made_by INTEGER REFERENCES baker (id),
    tags TEXT
);
CREATE TABLE shop (
    id INTEGER PRIMARY KEY,
    name TEXT,
    town TEXT,
    opened TEXT
);
CREATE TABLE sale (
    id INTEGER PRIMARY KEY,
    bread TEXT REFERENCES bread (code),
    shop INTEGER REFERENCES shop (id),
    day TEXT,
    pieces INTEGER
);
CREATE TABLE flour (
    flour TEXT PRIMARY KEY,
    mill TEXT,
    kilo_price REAL
);
CREATE TABLE recipe (
    bread TEXT REFERENCES bread (code),
    flour TEXT REFERENCES flour (flour),
    percent REAL,
    PRIMARY KEY (bread, flour)
);
