-- dialect: MySQL
CREATE TABLE `order details` (
  `id` int NOT NULL AUTO_INCREMENT COMMENT 'the number',
  `kind of thing` varchar(20) DEFAULT 'it''s; fine',
  `a` int, `b` int,
  PRIMARY KEY (`id`),
  KEY `by_kind` (`kind of thing`),
  CONSTRAINT `pair` FOREIGN KEY (`b`, `a`) REFERENCES `pair` (`y`, `x`)
) ENGINE=InnoDB COMMENT='Lines of orders';
CREATE TABLE pair (x int, y int, PRIMARY KEY (x, y));
-- expected
-- order details: id* INT 'the number', kind of thing VARCHAR(20), a INT, b INT 'Lines of orders'
-- pair: x* INT, y* INT
-- order details(b, a) -> pair(y, x)
