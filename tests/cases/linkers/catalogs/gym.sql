-- No foreign key at all: member and visit share member_id, room shares nothing.
CREATE TABLE member (member_id INTEGER PRIMARY KEY, nickname TEXT);
CREATE TABLE visit (visit_no INTEGER PRIMARY KEY, member_id INTEGER, entered TEXT);
CREATE TABLE room (door TEXT, seats INTEGER);
