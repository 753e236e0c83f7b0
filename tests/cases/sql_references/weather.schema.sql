-- dialect: duckdb
CREATE TABLE station (
    id INTEGER PRIMARY KEY,
    name VARCHAR,
    position STRUCT(lat DOUBLE, lon DOUBLE),
    sensors VARCHAR[]
);
CREATE TABLE reading (
    station INTEGER,
    at TIMESTAMP,
    celsius DOUBLE,
    rain DOUBLE
);
