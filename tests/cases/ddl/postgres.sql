-- dialect: postgres
-- What pg_dump writes: keys are added later, names carry their schema, psql's own commands stand between.
\restrict k7
SET search_path = public;
CREATE TABLE public.orders (
    id integer NOT NULL,
    "Unit Price" numeric(10,2) DEFAULT 0,
    customer integer,
    placed timestamp with time zone,
    tags text[]
);
CREATE TABLE sales.customers (
    id bigint NOT NULL,
    town text
);
CREATE TABLE public.line (
    order_id integer REFERENCES ORDERS,
    no integer,
    CONSTRAINT line_pk PRIMARY KEY (order_id, no)
);
CREATE INDEX orders_by_customer ON public.orders USING btree (customer);
ALTER TABLE ONLY public.orders ADD CONSTRAINT orders_pkey PRIMARY KEY (id);
ALTER TABLE ONLY sales.customers ADD CONSTRAINT customers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_customer_fkey FOREIGN KEY (customer) REFERENCES sales.customers(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.orders ADD CONSTRAINT gone FOREIGN KEY (customer) REFERENCES public.nowhere(id);
COMMENT ON TABLE public.orders IS 'What was ordered';
COMMENT ON COLUMN public.orders.placed IS 'When the order came in';
-- expected
-- orders: id* INT, Unit Price DECIMAL(10, 2), customer INT, placed TIMESTAMPTZ 'When the order came in', tags TEXT[] 'What was ordered'
-- sales.customers: id* BIGINT, town TEXT
-- line: order_id* INT, no* INT
-- line(order_id) -> orders(id)
-- orders(customer) -> sales.customers(id)
