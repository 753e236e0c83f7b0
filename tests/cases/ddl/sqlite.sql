-- What sqlite3's .dump writes, rows included.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE town(name TEXT PRIMARY KEY, people INT);
INSERT INTO town VALUES('Odda; in the fjord',6700);
INSERT INTO town VALUES('two
lines',1);
CREATE TABLE "Order"("Order No" INTEGER PRIMARY KEY AUTOINCREMENT, town TEXT REFERENCES TOWN, [from] DATE);
CREATE TRIGGER calm AFTER INSERT ON "Order" BEGIN SELECT 1; SELECT 2; END;
CREATE VIEW big AS SELECT name AS town FROM town WHERE people > 1000;
COMMIT;
-- expected
-- town: name* TEXT e.g. Odda; in the fjord, people INT e.g. 6700/1
-- Order: Order No* INTEGER, town TEXT, from DATE
-- big: town TEXT e.g. Odda; in the fjord
-- Order(town) -> town(name)
