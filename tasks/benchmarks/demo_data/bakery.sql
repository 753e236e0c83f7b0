-- A bakery whose tables and columns have spaces, signs, mixed case and SQL keywords for names.
CREATE TABLE "group" ( -- 6 rows
  "ID" INTEGER PRIMARY KEY,       -- number
  "Group Name" TEXT NOT NULL,     -- each Loaves; Rolls; Cakes; Biscuits; Savoury; Seasonal
  "VAT %" REAL,                   -- each 7; 7; 7; 7; 19; 7
  "from" TEXT,                    -- each 06:00; 06:00; 09:00; 08:00; 10:30; 08:00
  "Until" TEXT                    -- each 18:00; 13:00; 18:00; 18:00; 18:00; 16:00
);

CREATE TABLE "Article" ( -- 36 rows
  "ID" INTEGER PRIMARY KEY,       -- number
  "Name" TEXT NOT NULL,           -- each Rye Loaf; Spelt Loaf; Walnut Loaf; Farmer's Loaf; Potato Loaf; Corn Loaf; Wheat Roll; Poppy Roll; Sesame Roll; Pretzel Roll; Onion Roll; Milk Roll; Plum Cake; Poppy Cake; Nut Cake; Apple Cake; Butter Cake; Carrot Cake; Oat Biscuit; Almond Biscuit; Ginger Biscuit; Shortbread; Amaretti; Florentine; Cheese Stick; Leek Tart; Olive Swirl; Tomato Tart; Spinach Bun; Mushroom Bun; Stollen; Hot Cross Bun; Carnival Doughnut; Easter Plait; Star Biscuit; Gingerbread House
  "group" INTEGER REFERENCES "group"("ID"), -- sql ("ID" - 1) / 6 + 1
  "Unit Price (EUR)" REAL,        -- sql round(CASE "group" WHEN 1 THEN 3.10 + "ID" * 0.35 WHEN 2 THEN 0.50 + "ID" * 0.07 WHEN 3 THEN 2.40 + "ID" % 5 * 0.85 WHEN 4 THEN 1.20 + "ID" % 7 * 0.40 WHEN 5 THEN 1.90 + "ID" % 4 * 0.55 ELSE 2.80 + "ID" % 6 * 1.90 END, 2)
  "Weight [g]" INTEGER,           -- sql CASE "group" WHEN 1 THEN 500 + "ID" * 3 % 5 * 250 WHEN 3 THEN 600 + "ID" * 3 % 4 * 200 ELSE 45 + "ID" * 17 % 90 END
  "Vegan?" TEXT NOT NULL          -- one of Y; N; N
);

CREATE TABLE "Customer" ( -- 40 rows
  "Customer No." INTEGER PRIMARY KEY, -- number from 500
  "Company or Name" TEXT NOT NULL, -- person
  "Type" TEXT NOT NULL,           -- one of café; café; hotel; school; private; private; private
  "Postal Code" TEXT              -- one of 01067; 04109; 06108; 99084
);

CREATE TABLE "Delivery Round" ( -- 5 rows
  "Round-No" INTEGER PRIMARY KEY, -- number
  "Driver" TEXT NOT NULL,         -- each Wim; Xenia; Wim; Yusuf; Zora
  "Start Time" TEXT NOT NULL,     -- each 04:30; 05:15; 09:00; 05:45; 13:30
  "km/Day" REAL                   -- 12.5 to 84.0
);

CREATE TABLE "Order" ( -- 180 rows
  "Order No" INTEGER PRIMARY KEY, -- number from 9001
  "Customer" INTEGER NOT NULL REFERENCES "Customer"("Customer No."), -- any "Customer"."Customer No."
  "Round" INTEGER REFERENCES "Delivery Round"("Round-No"), -- any "Delivery Round"."Round-No" | 25% none
  "Date" TEXT NOT NULL,           -- day 2024-01-01 to 2024-04-30
  "Paid" TEXT NOT NULL            -- one of yes; yes; yes; no
);

CREATE TABLE "Order Line" ( -- 520 rows
  "Order No" INTEGER NOT NULL REFERENCES "Order"("Order No"), -- any "Order"."Order No"
  "Article" INTEGER NOT NULL REFERENCES "Article"("ID"),      -- any "Article"."ID"
  "Qty." INTEGER NOT NULL,        -- 1 to 40
  "Discount %" REAL NOT NULL,     -- one of 0; 0; 0; 5; 10
  PRIMARY KEY ("Order No", "Article")
);

CREATE TABLE "Allergen" ( -- 6 rows
  "Key" TEXT PRIMARY KEY,         -- each G; N; M; E; S; L
  "In Words" TEXT NOT NULL        -- each gluten; nuts; milk; egg; sesame; lupin
);

CREATE TABLE "Contains" ( -- 70 rows
  "Article" INTEGER NOT NULL REFERENCES "Article"("ID"), -- any "Article"."ID"
  "Allergen" TEXT NOT NULL REFERENCES "Allergen"("Key"), -- any "Allergen"."Key"
  PRIMARY KEY ("Article", "Allergen")
);

CREATE TABLE "Case" ( -- 28 rows
  "No" INTEGER PRIMARY KEY,       -- number
  "Order No" INTEGER NOT NULL REFERENCES "Order"("Order No"), -- any "Order"."Order No"
  "When" TEXT NOT NULL,           -- day 2024-01-10 to 2024-05-15
  "Reason" TEXT NOT NULL,         -- one of late; late; damaged; missing goods; wrong goods
  "Refund (EUR)" REAL             -- 0.00 to 45.00 | 20% none
);

-- finish
UPDATE "Customer" SET "Company or Name" = CASE "Type" WHEN 'café' THEN 'Café ' WHEN 'hotel' THEN 'Hotel ' ELSE 'School ' END
  || substr("Company or Name", instr("Company or Name", ' ') + 1)
WHERE "Type" <> 'private';
