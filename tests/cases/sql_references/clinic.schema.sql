-- dialect: postgres
CREATE TABLE patient (
    id integer PRIMARY KEY,
    name text,
    "Born" date,
    allergies text[],
    notes jsonb
);
CREATE TABLE visit (
    id integer PRIMARY KEY,
    patient_id integer REFERENCES patient (id),
    ward text,
    at timestamp,
    cost numeric
);
CREATE TABLE lab.sample (
    id integer PRIMARY KEY,
    visit_id integer,
    kind text
);
