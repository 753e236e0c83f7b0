-- dialect: snowflake
CREATE TABLE TWINS.PEN.CHILD (
    ID NUMBER,
    NAME TEXT,
    "name" TEXT,
    "Name" TEXT
);
CREATE TABLE TWINS.PEN."Child" (
    ID NUMBER,
    TOY TEXT
);
