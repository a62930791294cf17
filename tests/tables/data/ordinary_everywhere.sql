SELECT * FROM sales
SELECT count(*), count(DISTINCT state), min(amount), max(amount), avg(amount) FROM sales
SELECT state, sum(amount) FROM sales GROUP BY state HAVING sum(amount) > 10 ORDER BY 2 DESC LIMIT 3 OFFSET 1
SELECT s.id, p.name FROM sales AS s INNER JOIN products AS p USING (product_id) WHERE p.category IN ('toys', 'home')
SELECT c.name, count(s.id) FROM customers c LEFT JOIN sales s ON s.customer_id = c.customer_id GROUP BY c.name
SELECT * FROM sales NATURAL JOIN products
SELECT a.state, b.state FROM sales a CROSS JOIN sales b WHERE a.id < b.id AND a.id < 3
WITH t AS (SELECT state, sum(amount) AS total FROM sales GROUP BY state), u AS (SELECT avg(total) AS m FROM t) SELECT t.state, t.total - u.m AS over FROM t, u
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT sum(i) FROM n
SELECT state, amount, rank() OVER (PARTITION BY state ORDER BY amount DESC) AS r, dense_rank() OVER (ORDER BY amount), percent_rank() OVER (ORDER BY amount), cume_dist() OVER (ORDER BY amount) FROM sales
SELECT id, sum(amount) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM sales
SELECT id, first_value(amount) OVER w, last_value(amount) OVER w, nth_value(amount, 2) OVER w FROM sales WINDOW w AS (PARTITION BY state ORDER BY id)
SELECT id, lag(amount, 1, 0) OVER (ORDER BY id), lead(amount) OVER (ORDER BY id), ntile(4) OVER (ORDER BY id) FROM sales
SELECT state FROM sales UNION SELECT country FROM customers ORDER BY 1
SELECT product_id FROM products EXCEPT SELECT product_id FROM sales
SELECT customer_id FROM customers INTERSECT SELECT customer_id FROM sales
SELECT 1 AS x UNION ALL SELECT 2
SELECT CASE WHEN amount > 500 THEN 'big' WHEN amount > 100 THEN 'mid' ELSE 'small' END AS size, count(*) FROM sales GROUP BY 1
SELECT CASE state WHEN 'Texas' THEN 1 ELSE 0 END FROM sales
SELECT coalesce(email, 'none'), nullif(country, 'US'), upper(name), lower(name), length(name), trim(name) FROM customers
SELECT replace(name, 'N', 'n'), substr(name, 1, 2), name || ' ' || email FROM customers
SELECT round(amount), abs(amount), ceil(amount), floor(amount), sqrt(amount), power(amount, 2), exp(1), ln(2) FROM sales
SELECT CAST(amount AS INTEGER), CAST(id AS TEXT), CAST(quantity AS DOUBLE PRECISION) FROM sales
SELECT * FROM sales WHERE amount BETWEEN 10 AND 100 AND state LIKE 'A%' AND NOT channel = 'web' AND region IS NOT NULL
SELECT * FROM sales WHERE (state, channel) IN (SELECT state, channel FROM sales WHERE amount > 100)
SELECT * FROM sales s WHERE amount > (SELECT avg(amount) FROM sales x WHERE x.state = s.state)
SELECT * FROM sales s WHERE NOT EXISTS (SELECT * FROM products p WHERE p.product_id = s.product_id)
SELECT sum(CASE WHEN channel = 'web' THEN amount ELSE 0 END) / sum(amount) AS share FROM sales
SELECT count(*) FILTER (WHERE channel = 'web'), sum(amount) FILTER (WHERE amount > 0) FROM sales
SELECT 100.0 * amount / sum(amount) OVER () AS pct FROM sales ORDER BY pct DESC NULLS LAST
SELECT x.state AS "the state", x.n AS "select" FROM (SELECT state, count(*) AS n FROM sales GROUP BY state) AS x
SELECT quantity % 10, amount - -1, -amount, (amount + 1) * 2 FROM sales
SELECT quantity & 1, quantity | 2, quantity << 1, quantity >> 1 FROM sales
VALUES (1, 'a'), (2, 'b')
WITH t(i, w) AS (VALUES (1, 'a'), (2, 'b')) SELECT t.i, t.w FROM t
SELECT current_date, current_timestamp
SELECT amount IS DISTINCT FROM 3, amount IS NOT DISTINCT FROM 4 FROM sales
SELECT state, NULL AS none_at_all, TRUE AS yes, 1e3 AS big, 'it''s; -- /* fine */' AS note FROM sales
EXPLAIN SELECT * FROM sales
SELECT v.state, v.amount FROM v_sales v
SELECT DISTINCT state, channel FROM sales ORDER BY state, channel DESC
SELECT s.* FROM sales s WHERE s.state = ? AND s.amount > ?
