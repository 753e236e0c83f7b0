-- dialect: sqlite
CREATE TABLE "Reading Room (North)" (
    "Seat No." INTEGER PRIMARY KEY,
    "Lamp? (Y/N)" TEXT,
    "per cent %" REAL,
    "e-mail" TEXT,
    "it's" TEXT,
    "say ""hi""" TEXT
);
CREATE TABLE "order" (
    "order" INTEGER PRIMARY KEY,
    "group" TEXT,
    "select" TEXT,
    "from" INTEGER,
    user TEXT,
    FOREIGN KEY ("from") REFERENCES "Reading Room (North)" ("Seat No.")
);
CREATE TABLE "transaction" (
    key TEXT,
    "values" REAL,
    "index" INTEGER,
    MixedCase TEXT,
    "order" INTEGER REFERENCES "order" ("order"),
    "date" TEXT
);
CREATE TABLE "a.b" ("c.d" TEXT, "a.b" TEXT);
CREATE TABLE "läsning-2nd" ("2nd" TEXT, "Größe" REAL, "`tick`" TEXT);
