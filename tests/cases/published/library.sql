CREATE TABLE branch (code TEXT PRIMARY KEY, town TEXT, parent TEXT REFERENCES branch(code));
CREATE TABLE book (isbn TEXT, copy INTEGER, title TEXT, "Shelf (No)" INTEGER, kept_at TEXT REFERENCES branch, PRIMARY KEY (isbn, copy));
CREATE TABLE loan (member TEXT, isbn TEXT, copy INTEGER, due DATE, rowcode INTEGER, FOREIGN KEY (isbn, copy) REFERENCES book(isbn, copy));
INSERT INTO branch VALUES ('N', 'Northport', NULL), ('S', 'Southmill', 'N');
INSERT INTO book VALUES ('1-11', 1, 'Tides', 4, 'N'), ('1-11', 2, 'Tides', 4, 'S'), ('2-22', 1, 'Moss', 9, 'S');
INSERT INTO loan VALUES ('Ada', '1-11', 2, '2031-05-04', 1), ('Bo', '2-22', 1, '2031-06-01', 2);
