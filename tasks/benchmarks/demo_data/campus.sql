-- A university's administration: more than sixty tables in ten areas.
CREATE TABLE campus ( -- 3 rows
  campus_id INTEGER PRIMARY KEY, -- number
  name TEXT NOT NULL,            -- each North Shore; Old Town; Science Park
  hectares REAL NOT NULL         -- 3.0 to 60.0
);

CREATE TABLE building ( -- 14 rows
  building_id INTEGER PRIMARY KEY, -- number
  campus_id INTEGER NOT NULL REFERENCES campus(campus_id), -- any campus.campus_id
  name TEXT NOT NULL,            -- each Aula; Boathouse; Curie Hall; Dovecote; East Wing; Foundry; Granary; Hypatia House; Ice House; Jubilee Block; Kiln; Library Tower; Mill; Noether Hall
  storeys INTEGER NOT NULL       -- 1 to 9
);

CREATE TABLE room ( -- 90 rows
  room_id INTEGER PRIMARY KEY,   -- number
  building_id INTEGER NOT NULL REFERENCES building(building_id), -- any building.building_id
  label TEXT NOT NULL,           -- code Z{:03}
  purpose TEXT NOT NULL,         -- one of lecture; seminar; seminar; laboratory; office; office
  places INTEGER NOT NULL        -- 2 to 320
);

CREATE TABLE faculty ( -- 5 rows
  faculty_id INTEGER PRIMARY KEY, -- number
  name TEXT NOT NULL,            -- each Arts; Engineering; Law; Medicine; Natural Sciences
  founded INTEGER NOT NULL       -- 1824 to 1975
);

CREATE TABLE department ( -- 16 rows
  department_id INTEGER PRIMARY KEY, -- number
  faculty_id INTEGER NOT NULL REFERENCES faculty(faculty_id), -- each faculty.faculty_id
  building_id INTEGER REFERENCES building(building_id), -- any building.building_id
  name TEXT NOT NULL             -- each History; Mechanics; Civil Law; Surgery; Chemistry; Linguistics; Electronics; Criminal Law; Paediatrics; Physics; Musicology; Robotics; Tax Law; Pharmacology; Botany; Philosophy
);

CREATE TABLE staff ( -- 110 rows
  staff_id INTEGER PRIMARY KEY,  -- number
  department_id INTEGER NOT NULL REFERENCES department(department_id), -- any department.department_id
  name TEXT NOT NULL,            -- person
  grade TEXT NOT NULL,           -- one of professor; professor; lecturer; lecturer; lecturer; assistant; technician; clerk
  office_id INTEGER REFERENCES room(room_id), -- any room.room_id | 20% none
  hired TEXT NOT NULL            -- day 1996-01-01 to 2023-08-31
);

CREATE TABLE programme ( -- 18 rows
  programme_id INTEGER PRIMARY KEY, -- number
  department_id INTEGER NOT NULL REFERENCES department(department_id), -- each department.department_id
  title TEXT NOT NULL,           -- code Programme {:02}
  degree TEXT NOT NULL,          -- one of BA; BSc; MA; MSc; PhD
  semesters INTEGER NOT NULL     -- one of 4; 6; 6; 8
);

CREATE TABLE student ( -- 260 rows
  student_id INTEGER PRIMARY KEY, -- number from 30001
  programme_id INTEGER NOT NULL REFERENCES programme(programme_id), -- any programme.programme_id
  name TEXT NOT NULL,            -- person
  born TEXT NOT NULL,            -- day 1994-01-01 to 2005-12-31
  matriculated TEXT NOT NULL,    -- day 2018-09-01 to 2023-10-15
  left_on TEXT,                  -- matriculated + 300 to 2000 days | 70% none
  adviser_id INTEGER REFERENCES staff(staff_id) -- any staff.staff_id | 15% none
);

CREATE TABLE course ( -- 60 rows
  course_id INTEGER PRIMARY KEY, -- number
  department_id INTEGER NOT NULL REFERENCES department(department_id), -- any department.department_id
  code TEXT NOT NULL,            -- code C-{:03}
  credits INTEGER NOT NULL,      -- one of 3; 5; 5; 6; 10
  level INTEGER NOT NULL         -- one of 1; 1; 2; 2; 3
);

CREATE TABLE prerequisite ( -- 110 rows
  course_id INTEGER NOT NULL REFERENCES course(course_id),  -- any course.course_id
  requires_id INTEGER NOT NULL REFERENCES course(course_id), -- any course.course_id
  PRIMARY KEY (course_id, requires_id), CHECK (course_id > requires_id)
);

CREATE TABLE term ( -- 6 rows
  term_id INTEGER PRIMARY KEY,   -- number
  name TEXT NOT NULL,            -- each 2021 autumn; 2022 spring; 2022 autumn; 2023 spring; 2023 autumn; 2024 spring
  starts TEXT NOT NULL           -- each 2021-10-01; 2022-04-01; 2022-10-01; 2023-04-01; 2023-10-01; 2024-04-01
);

CREATE TABLE offering ( -- 150 rows
  offering_id INTEGER PRIMARY KEY, -- number
  course_id INTEGER NOT NULL REFERENCES course(course_id), -- any course.course_id
  term_id INTEGER NOT NULL REFERENCES term(term_id), -- any term.term_id
  lecturer_id INTEGER NOT NULL REFERENCES staff(staff_id), -- any staff.staff_id
  room_id INTEGER REFERENCES room(room_id), -- any room.room_id
  UNIQUE (course_id, term_id)
);

CREATE TABLE enrolment ( -- 900 rows
  student_id INTEGER NOT NULL REFERENCES student(student_id), -- any student.student_id
  offering_id INTEGER NOT NULL REFERENCES offering(offering_id), -- any offering.offering_id
  grade REAL,                    -- one of 1.0; 1.3; 1.7; 2.0; 2.3; 2.7; 3.0; 3.7; 5.0 | 12% none
  PRIMARY KEY (student_id, offering_id)
);

CREATE TABLE exam ( -- 90 rows
  exam_id INTEGER PRIMARY KEY,   -- number
  offering_id INTEGER NOT NULL REFERENCES offering(offering_id), -- any offering.offering_id
  room_id INTEGER NOT NULL REFERENCES room(room_id), -- any room.room_id
  held TEXT NOT NULL,            -- day 2022-01-20 to 2024-03-10
  minutes INTEGER NOT NULL       -- one of 60; 90; 120; 180
);

CREATE TABLE invigilation ( -- 120 rows
  exam_id INTEGER NOT NULL REFERENCES exam(exam_id), -- any exam.exam_id
  staff_id INTEGER NOT NULL REFERENCES staff(staff_id), -- any staff.staff_id
  PRIMARY KEY (exam_id, staff_id)
);

CREATE TABLE thesis ( -- 50 rows
  thesis_id INTEGER PRIMARY KEY, -- number
  student_id INTEGER NOT NULL UNIQUE REFERENCES student(student_id), -- any student.student_id
  supervisor_id INTEGER NOT NULL REFERENCES staff(staff_id), -- any staff.staff_id
  title TEXT NOT NULL,           -- code Thesis no. {}
  handed_in TEXT,                -- day 2021-03-01 to 2024-02-28 | 20% none
  mark REAL                      -- one of 1.0; 1.3; 1.7; 2.0; 2.7 | 30% none
);

CREATE TABLE attendance ( -- 300 rows
  offering_id INTEGER NOT NULL REFERENCES offering(offering_id), -- any offering.offering_id
  student_id INTEGER NOT NULL REFERENCES student(student_id), -- any student.student_id
  week INTEGER NOT NULL,         -- 1 to 14
  PRIMARY KEY (offering_id, student_id, week)
);

CREATE TABLE course_survey ( -- 120 rows
  survey_id INTEGER PRIMARY KEY, -- number
  offering_id INTEGER NOT NULL REFERENCES offering(offering_id), -- any offering.offering_id
  clarity INTEGER NOT NULL,      -- 1 to 5
  workload INTEGER NOT NULL      -- 1 to 5
);

CREATE TABLE textbook ( -- 40 rows
  textbook_id INTEGER PRIMARY KEY, -- number
  title TEXT NOT NULL,           -- code Primer {:02}
  price REAL NOT NULL            -- 14.00 to 120.00
);

CREATE TABLE reading_list ( -- 90 rows
  course_id INTEGER NOT NULL REFERENCES course(course_id), -- any course.course_id
  textbook_id INTEGER NOT NULL REFERENCES textbook(textbook_id), -- any textbook.textbook_id
  required INTEGER NOT NULL,     -- one of 0; 1
  PRIMARY KEY (course_id, textbook_id)
);

CREATE TABLE library ( -- 4 rows
  library_id INTEGER PRIMARY KEY, -- number
  building_id INTEGER NOT NULL REFERENCES building(building_id), -- any building.building_id
  name TEXT NOT NULL,            -- each Main Stacks; Law Reading Room; Medical Branch; Map Room
  closes TEXT NOT NULL           -- each 24:00; 20:00; 22:00; 17:00
);

CREATE TABLE volume ( -- 160 rows
  volume_id INTEGER PRIMARY KEY, -- number
  library_id INTEGER NOT NULL REFERENCES library(library_id), -- any library.library_id
  title TEXT NOT NULL,           -- code Volume {:03}
  printed INTEGER NOT NULL,      -- 1711 to 2023
  lendable INTEGER NOT NULL      -- one of 0; 1; 1; 1
);

CREATE TABLE library_loan ( -- 240 rows
  loan_id INTEGER PRIMARY KEY,   -- number
  volume_id INTEGER NOT NULL REFERENCES volume(volume_id), -- any volume.volume_id
  student_id INTEGER NOT NULL REFERENCES student(student_id), -- any student.student_id
  lent TEXT NOT NULL,            -- day 2022-09-01 to 2024-03-01
  due TEXT NOT NULL,             -- lent + 28 to 28 days
  returned TEXT                  -- lent + 1 to 70 days | 10% none
);

CREATE TABLE library_fine ( -- 60 rows
  fine_id INTEGER PRIMARY KEY,   -- number
  loan_id INTEGER NOT NULL UNIQUE REFERENCES library_loan(loan_id), -- any library_loan.loan_id
  amount REAL NOT NULL,          -- 0.50 to 24.00
  settled INTEGER NOT NULL       -- one of 0; 1; 1
);

CREATE TABLE journal ( -- 20 rows
  journal_id INTEGER PRIMARY KEY, -- number
  name TEXT NOT NULL,            -- code Annals {:02}
  yearly_cost REAL NOT NULL      -- 120.00 to 6400.00
);

CREATE TABLE journal_licence ( -- 30 rows
  journal_id INTEGER NOT NULL REFERENCES journal(journal_id), -- any journal.journal_id
  library_id INTEGER NOT NULL REFERENCES library(library_id), -- any library.library_id
  until TEXT NOT NULL,           -- day 2023-12-31 to 2027-12-31
  PRIMARY KEY (journal_id, library_id)
);

CREATE TABLE residence ( -- 5 rows
  residence_id INTEGER PRIMARY KEY, -- number
  campus_id INTEGER NOT NULL REFERENCES campus(campus_id), -- any campus.campus_id
  name TEXT NOT NULL,            -- each Quayside; Elm Court; Tower One; Villa Rosa; Annex
  warden_id INTEGER REFERENCES staff(staff_id) -- any staff.staff_id
);

CREATE TABLE dorm_room ( -- 70 rows
  dorm_room_id INTEGER PRIMARY KEY, -- number
  residence_id INTEGER NOT NULL REFERENCES residence(residence_id), -- any residence.residence_id
  beds INTEGER NOT NULL,         -- one of 1; 1; 2
  rent REAL NOT NULL             -- 210.00 to 560.00
);

CREATE TABLE tenancy ( -- 95 rows
  tenancy_id INTEGER PRIMARY KEY, -- number
  dorm_room_id INTEGER NOT NULL REFERENCES dorm_room(dorm_room_id), -- any dorm_room.dorm_room_id
  student_id INTEGER NOT NULL REFERENCES student(student_id), -- any student.student_id
  begins TEXT NOT NULL,          -- day 2021-09-01 to 2024-02-01
  ends TEXT                      -- begins + 150 to 900 days | 50% none
);

CREATE TABLE waiting_list ( -- 40 rows
  student_id INTEGER NOT NULL REFERENCES student(student_id), -- any student.student_id
  residence_id INTEGER NOT NULL REFERENCES residence(residence_id), -- any residence.residence_id
  asked TEXT NOT NULL,           -- day 2023-06-01 to 2024-03-15
  PRIMARY KEY (student_id, residence_id)
);

CREATE TABLE repair_ticket ( -- 60 rows
  ticket_id INTEGER PRIMARY KEY, -- number
  room_id INTEGER REFERENCES room(room_id), -- any room.room_id
  dorm_room_id INTEGER REFERENCES dorm_room(dorm_room_id), -- any dorm_room.dorm_room_id | 60% none
  opened TEXT NOT NULL,          -- day 2023-01-01 to 2024-03-20
  closed TEXT                    -- opened + 0 to 60 days | 30% none
);

CREATE TABLE scholarship ( -- 9 rows
  scholarship_id INTEGER PRIMARY KEY, -- number
  name TEXT NOT NULL,            -- each Lighthouse; Founders; Women in Engineering; Refugee Fund; Music; Excellence; Travel; Rowing; Second Chance
  monthly REAL NOT NULL,         -- 150.00 to 900.00
  donor_id INTEGER               -- 1 to 6
);

CREATE TABLE donor ( -- 6 rows
  donor_id INTEGER PRIMARY KEY,  -- number
  name TEXT NOT NULL,            -- each Halvorsen Foundation; City of Varn; Alumni Circle; Ostrea Bank; Grete Lund; Port Authority
  kind TEXT NOT NULL             -- each foundation; public; alumni; company; person; public
);

CREATE TABLE grant_award ( -- 55 rows
  student_id INTEGER NOT NULL REFERENCES student(student_id), -- any student.student_id
  scholarship_id INTEGER NOT NULL REFERENCES scholarship(scholarship_id), -- any scholarship.scholarship_id
  granted TEXT NOT NULL,         -- day 2019-10-01 to 2023-10-01
  months INTEGER NOT NULL,       -- one of 6; 10; 12; 24
  PRIMARY KEY (student_id, scholarship_id)
);

CREATE TABLE fee_invoice ( -- 200 rows
  invoice_id INTEGER PRIMARY KEY, -- number
  student_id INTEGER NOT NULL REFERENCES student(student_id), -- any student.student_id
  term_id INTEGER NOT NULL REFERENCES term(term_id), -- any term.term_id
  amount REAL NOT NULL,          -- 90.00 to 690.00
  due TEXT NOT NULL              -- day 2021-10-15 to 2024-05-01
);

CREATE TABLE fee_payment ( -- 190 rows
  payment_id INTEGER PRIMARY KEY, -- number
  invoice_id INTEGER NOT NULL REFERENCES fee_invoice(invoice_id), -- any fee_invoice.invoice_id
  paid_on TEXT NOT NULL,         -- day 2021-10-01 to 2024-05-20
  amount REAL NOT NULL           -- 40.00 to 400.00
);

CREATE TABLE project ( -- 22 rows
  project_id INTEGER PRIMARY KEY, -- number
  department_id INTEGER NOT NULL REFERENCES department(department_id), -- any department.department_id
  leader_id INTEGER NOT NULL REFERENCES staff(staff_id), -- any staff.staff_id
  acronym TEXT NOT NULL,         -- each AMBER; BASALT; CIRRUS; DELTA; ELIXIR; FJORD; GALLIUM; HELIX; IRIS; JUNIPER; KRILL; LOOM; MISTRAL; NIMBUS; OPAL; PRISM; QUARTZ; RHEA; SIROCCO; TALUS; UMBRA; VERTEX
  budget REAL NOT NULL,          -- 20000.00 to 900000.00
  begins TEXT NOT NULL           -- day 2017-01-01 to 2023-06-01
);

CREATE TABLE project_member ( -- 80 rows
  project_id INTEGER NOT NULL REFERENCES project(project_id), -- any project.project_id
  staff_id INTEGER NOT NULL REFERENCES staff(staff_id), -- any staff.staff_id
  share REAL NOT NULL,           -- one of 0.25; 0.5; 0.5; 1.0
  PRIMARY KEY (project_id, staff_id)
);

CREATE TABLE sponsor ( -- 8 rows
  sponsor_id INTEGER PRIMARY KEY, -- number
  name TEXT NOT NULL,            -- each Northern Science Council; EuroFrame; Medaxis; Ministry of Energy; Tidal Works; Lumen Trust; Aerodyn; Culture Board
  sector TEXT NOT NULL           -- each public; public; industry; public; industry; charity; industry; public
);

CREATE TABLE funding ( -- 34 rows
  project_id INTEGER NOT NULL REFERENCES project(project_id), -- any project.project_id
  sponsor_id INTEGER NOT NULL REFERENCES sponsor(sponsor_id), -- any sponsor.sponsor_id
  amount REAL NOT NULL,          -- 5000.00 to 400000.00
  PRIMARY KEY (project_id, sponsor_id)
);

CREATE TABLE publication ( -- 75 rows
  publication_id INTEGER PRIMARY KEY, -- number
  project_id INTEGER REFERENCES project(project_id), -- any project.project_id | 25% none
  title TEXT NOT NULL,           -- code Findings {:03}
  year INTEGER NOT NULL,         -- 2017 to 2024
  journal_id INTEGER REFERENCES journal(journal_id) -- any journal.journal_id
);

CREATE TABLE authorship ( -- 170 rows
  publication_id INTEGER NOT NULL REFERENCES publication(publication_id), -- any publication.publication_id
  staff_id INTEGER NOT NULL REFERENCES staff(staff_id), -- any staff.staff_id
  position INTEGER NOT NULL,     -- 1 to 6
  PRIMARY KEY (publication_id, staff_id)
);

CREATE TABLE patent ( -- 12 rows
  patent_id INTEGER PRIMARY KEY, -- number
  project_id INTEGER NOT NULL REFERENCES project(project_id), -- any project.project_id
  filed TEXT NOT NULL,           -- day 2018-01-01 to 2024-01-31
  status TEXT NOT NULL           -- one of filed; granted; granted; refused
);

CREATE TABLE instrument ( -- 26 rows
  instrument_id INTEGER PRIMARY KEY, -- number
  room_id INTEGER NOT NULL REFERENCES room(room_id), -- any room.room_id
  name TEXT NOT NULL,            -- one of centrifuge; laser; microscope; microscope; oven; spectrometer; wind tunnel
  bought INTEGER NOT NULL,       -- 1999 to 2023
  cost REAL NOT NULL             -- 900.00 to 310000.00
);

CREATE TABLE instrument_booking ( -- 110 rows
  booking_id INTEGER PRIMARY KEY, -- number
  instrument_id INTEGER NOT NULL REFERENCES instrument(instrument_id), -- any instrument.instrument_id
  staff_id INTEGER NOT NULL REFERENCES staff(staff_id), -- any staff.staff_id
  project_id INTEGER REFERENCES project(project_id), -- any project.project_id | 20% none
  day TEXT NOT NULL,             -- day 2023-01-01 to 2024-03-20
  hours REAL NOT NULL            -- 0.5 to 9.0
);

CREATE TABLE ethics_review ( -- 15 rows
  review_id INTEGER PRIMARY KEY, -- number
  project_id INTEGER NOT NULL REFERENCES project(project_id), -- any project.project_id
  decided TEXT,                  -- day 2018-01-01 to 2024-01-31
  outcome TEXT NOT NULL          -- one of approved; approved; conditions; rejected
);

CREATE TABLE sports_club ( -- 8 rows
  club_id INTEGER PRIMARY KEY,   -- number
  name TEXT NOT NULL,            -- each Archery; Basketball; Climbing; Fencing; Judo; Rowing; Sailing; Table Tennis
  fee REAL NOT NULL              -- 0.00 to 60.00
);

CREATE TABLE club_membership ( -- 140 rows
  club_id INTEGER NOT NULL REFERENCES sports_club(club_id), -- any sports_club.club_id
  student_id INTEGER NOT NULL REFERENCES student(student_id), -- any student.student_id
  joined TEXT NOT NULL,          -- day 2019-10-01 to 2024-01-31
  PRIMARY KEY (club_id, student_id)
);

CREATE TABLE sports_hall ( -- 4 rows
  hall_id INTEGER PRIMARY KEY,   -- number
  campus_id INTEGER NOT NULL REFERENCES campus(campus_id), -- any campus.campus_id
  name TEXT NOT NULL             -- each Big Hall; Dojo; Boat Tank; Court Two
);

CREATE TABLE training ( -- 30 rows
  training_id INTEGER PRIMARY KEY, -- number
  club_id INTEGER NOT NULL REFERENCES sports_club(club_id), -- any sports_club.club_id
  hall_id INTEGER NOT NULL REFERENCES sports_hall(hall_id), -- any sports_hall.hall_id
  weekday TEXT NOT NULL,         -- one of Mon; Tue; Wed; Thu; Fri
  starts TEXT NOT NULL           -- one of 08:00; 17:00; 18:30; 20:00
);

CREATE TABLE canteen ( -- 3 rows
  canteen_id INTEGER PRIMARY KEY, -- number
  building_id INTEGER NOT NULL REFERENCES building(building_id), -- any building.building_id
  name TEXT NOT NULL,            -- each Mensa; Bistro Curie; Harbour Deck
  seats INTEGER NOT NULL         -- 60 to 700
);

CREATE TABLE dish ( -- 24 rows
  dish_id INTEGER PRIMARY KEY,   -- number
  name TEXT NOT NULL,            -- each bean stew; fish pie; lentil dal; goulash; pea soup; risotto; falafel; lasagne; ratatouille; meatballs; gnocchi; curry; burger; pancakes; chili; moussaka; ramen; omelette; paella; salad bowl; stir fry; tortilla; schnitzel; quiche
  vegetarian INTEGER NOT NULL,   -- each 1; 0; 1; 0; 1; 1; 1; 0; 1; 0; 1; 1
  price REAL NOT NULL            -- 2.40 to 7.90
);

CREATE TABLE menu_day ( -- 150 rows
  canteen_id INTEGER NOT NULL REFERENCES canteen(canteen_id), -- any canteen.canteen_id
  dish_id INTEGER NOT NULL REFERENCES dish(dish_id), -- any dish.dish_id
  day TEXT NOT NULL,             -- day 2024-01-08 to 2024-03-08
  portions INTEGER NOT NULL,     -- 20 to 300
  PRIMARY KEY (canteen_id, dish_id, day)
);

CREATE TABLE account ( -- 200 rows
  login TEXT PRIMARY KEY,        -- code u{:05}
  student_id INTEGER REFERENCES student(student_id), -- any student.student_id | 40% none
  staff_id INTEGER REFERENCES staff(staff_id), -- any staff.staff_id | 60% none
  quota_gb INTEGER NOT NULL      -- one of 10; 10; 50; 200
);

CREATE TABLE login_event ( -- 250 rows
  event_id INTEGER PRIMARY KEY,  -- number
  login TEXT NOT NULL REFERENCES account(login), -- any account.login
  at TEXT NOT NULL,              -- day 2024-02-01 to 2024-03-20
  success INTEGER NOT NULL       -- one of 0; 1; 1; 1; 1
);

CREATE TABLE helpdesk_ticket ( -- 60 rows
  ticket_id INTEGER PRIMARY KEY, -- number
  login TEXT NOT NULL REFERENCES account(login), -- any account.login
  topic TEXT NOT NULL,           -- one of password; printer; printer; wifi; wifi; software
  opened TEXT NOT NULL,          -- day 2023-10-01 to 2024-03-20
  minutes INTEGER                -- 3 to 240 | 15% none
);

CREATE TABLE printer ( -- 12 rows
  printer_id INTEGER PRIMARY KEY, -- number
  room_id INTEGER NOT NULL REFERENCES room(room_id), -- any room.room_id
  colour INTEGER NOT NULL        -- one of 0; 1
);

CREATE TABLE print_job ( -- 180 rows
  job_id INTEGER PRIMARY KEY,    -- number
  printer_id INTEGER NOT NULL REFERENCES printer(printer_id), -- any printer.printer_id
  login TEXT NOT NULL REFERENCES account(login), -- any account.login
  sheets INTEGER NOT NULL        -- 1 to 90
);

CREATE TABLE partner_university ( -- 10 rows
  partner_id INTEGER PRIMARY KEY, -- number
  name TEXT NOT NULL,            -- each Porto Alto; Lyngby; Kaunas West; Bergamo; Tartu Sea; Graz Sud; Leuven Oost; Oulu; Coimbra Nova; Sligo
  country TEXT NOT NULL          -- each PT; DK; LT; IT; EE; AT; BE; FI; PT; IE
);

CREATE TABLE exchange_stay ( -- 45 rows
  stay_id INTEGER PRIMARY KEY,   -- number
  student_id INTEGER NOT NULL REFERENCES student(student_id), -- any student.student_id
  partner_id INTEGER NOT NULL REFERENCES partner_university(partner_id), -- any partner_university.partner_id
  term_id INTEGER NOT NULL REFERENCES term(term_id) -- any term.term_id
);

CREATE TABLE committee ( -- 7 rows
  committee_id INTEGER PRIMARY KEY, -- number
  faculty_id INTEGER REFERENCES faculty(faculty_id), -- any faculty.faculty_id | 30% none
  name TEXT NOT NULL             -- each Appeals; Curriculum; Equality; Ethics; Library; Senate; Sustainability
);

CREATE TABLE committee_seat ( -- 40 rows
  committee_id INTEGER NOT NULL REFERENCES committee(committee_id), -- any committee.committee_id
  staff_id INTEGER NOT NULL REFERENCES staff(staff_id), -- any staff.staff_id
  since TEXT NOT NULL,           -- day 2018-01-01 to 2023-12-31
  PRIMARY KEY (committee_id, staff_id)
);

CREATE TABLE parking_permit ( -- 50 rows
  permit_id INTEGER PRIMARY KEY, -- number
  staff_id INTEGER NOT NULL REFERENCES staff(staff_id), -- any staff.staff_id
  campus_id INTEGER NOT NULL REFERENCES campus(campus_id), -- any campus.campus_id
  plate TEXT NOT NULL            -- code VA-{:04}
);

CREATE TABLE absence ( -- 70 rows
  absence_id INTEGER PRIMARY KEY, -- number
  staff_id INTEGER NOT NULL REFERENCES staff(staff_id), -- any staff.staff_id
  begins TEXT NOT NULL,          -- day 2023-01-01 to 2024-03-01
  days INTEGER NOT NULL,         -- 1 to 30
  cause TEXT NOT NULL            -- one of illness; illness; leave; parental; training
);

CREATE TABLE salary ( -- 110 rows
  staff_id INTEGER PRIMARY KEY REFERENCES staff(staff_id), -- each staff.staff_id
  yearly REAL NOT NULL,          -- 28000.00 to 96000.00
  band TEXT                      -- sql CASE WHEN yearly >= 75000 THEN 'A' WHEN yearly >= 50000 THEN 'B' ELSE 'C' END
);
