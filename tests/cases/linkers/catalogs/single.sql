-- One table.
CREATE TABLE "Bus stop" ("Stop name" TEXT, zone INTEGER);
