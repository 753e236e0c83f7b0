-- The visits of a recipe site, one table a month, beside what they refer to.
CREATE TABLE visitor ( -- 120 rows
  visitor_id INTEGER PRIMARY KEY, -- number
  country TEXT NOT NULL,          -- one of AT; AT; BE; CH; CZ; PL; PL
  first_seen TEXT NOT NULL,       -- day 2021-01-01 to 2023-01-31
  plan TEXT NOT NULL              -- one of free; free; free; plus; family
);

CREATE TABLE author ( -- 12 rows
  author_id INTEGER PRIMARY KEY,  -- number
  name TEXT NOT NULL,             -- person
  specialty TEXT                  -- one of baking; vegan; soups; preserves; grill
);

CREATE TABLE page ( -- 45 rows
  page_id INTEGER PRIMARY KEY,    -- number
  author_id INTEGER REFERENCES author(author_id), -- any author.author_id | 12% none
  path TEXT NOT NULL,             -- code /r/{:03}
  topic TEXT NOT NULL,            -- one of bread; bread; soup; cake; pickles; pasta
  published TEXT NOT NULL,        -- day 2019-01-01 to 2022-12-31
  words INTEGER NOT NULL          -- 180 to 2400
);

CREATE TABLE campaign ( -- 7 rows
  campaign_id INTEGER PRIMARY KEY, -- number
  name TEXT NOT NULL,             -- each Spring Greens; Picnic; Back to School; Harvest; Advent; New Year Light; Easter Lamb
  channel TEXT NOT NULL,          -- each mail; social; mail; search; social; search; mail
  budget_eur REAL NOT NULL        -- 300.00 to 5200.00
);

CREATE TABLE device ( -- 4 rows
  device_id INTEGER PRIMARY KEY,  -- number
  kind TEXT NOT NULL              -- each phone; tablet; desktop; kitchen display
);

-- repeat 202301 202302 202303 202304 202305 202306 202307 202308 202309 202310 202311 202312 202401 202402 202403 202404 202405 202406
CREATE TABLE visits_@ ( -- 75 rows
  visit_id INTEGER PRIMARY KEY,   -- number
  visitor_id INTEGER NOT NULL REFERENCES visitor(visitor_id), -- any visitor.visitor_id
  page_id INTEGER NOT NULL REFERENCES page(page_id),          -- any page.page_id
  device_id INTEGER NOT NULL REFERENCES device(device_id),    -- any device.device_id
  campaign_id INTEGER REFERENCES campaign(campaign_id),       -- any campaign.campaign_id | 60% none
  day INTEGER NOT NULL,           -- 1 to 28
  seconds INTEGER NOT NULL,       -- 4 to 900
  saved INTEGER NOT NULL,         -- one of 0; 0; 0; 1
  UNIQUE (visitor_id, day)
);

-- end
CREATE TABLE comment ( -- 240 rows
  comment_id INTEGER PRIMARY KEY, -- number
  page_id INTEGER NOT NULL REFERENCES page(page_id),          -- any page.page_id
  visitor_id INTEGER NOT NULL REFERENCES visitor(visitor_id), -- any visitor.visitor_id
  written TEXT NOT NULL,          -- day 2023-01-01 to 2024-06-30
  stars INTEGER NOT NULL          -- one of 1; 2; 3; 4; 4; 5; 5
);
