-- dialect: bigquery
CREATE TABLE `space.orbit.pass` (
    id INT64,
    satellite STRING,
    seen TIMESTAMP,
    place STRUCT<lat FLOAT64, lon FLOAT64, site STRUCT<name STRING>>,
    signals ARRAY<STRUCT<band STRING, power FLOAT64>>,
    tags ARRAY<STRING>
);
CREATE TABLE `space.orbit.satellite` (
    name STRING,
    launched DATE,
    maker STRING
);
