-- Shards by day, by release, and with the base beside them; one alike by chance, one of another structure.
CREATE TABLE visits_20240101 (at TEXT, page TEXT);
CREATE TABLE visits_20240102 (at TEXT, page TEXT);
CREATE TABLE visits_20240103 (at TEXT, page TEXT, agent TEXT);
CREATE TABLE weather_r1 (day TEXT, rain REAL);
CREATE TABLE weather_current (day TEXT, rain REAL);
CREATE TABLE pages (path TEXT, title TEXT);
CREATE TABLE pages_2 (path TEXT, title TEXT);
CREATE TABLE menus (path TEXT, title TEXT);
