SELECT date('now'), date('2021-01-31', '+1 month'), datetime('2021-01-01', 'start of year'), time('10:00'), julianday('2021-01-01'), unixepoch('2021-01-01')
SELECT strftime('%Y-%m', order_date) AS m, sum(amount) FROM sales GROUP BY m ORDER BY m
SELECT strftime('%w', order_date), CAST(strftime('%Y', order_date) AS INTEGER) FROM sales
SELECT typeof(amount), total(amount), group_concat(DISTINCT state), group_concat(state, '; ') FROM sales
SELECT iif(amount > 3, 'a', 'b'), ifnull(state, 'x'), max(amount, quantity), min(amount, quantity) FROM sales
SELECT json_extract(payload, '$.page'), payload->>'$.page', payload->'$.page', json_type(payload), json_valid(payload) FROM events
SELECT e.event_id, j.key, j.value FROM events e, json_each(e.payload) j
SELECT value FROM json_each('[1, 2, 3]')
SELECT json_group_array(state), json_group_object(id, state), json_array(1, 2), json_object('a', 1), json_array_length('[1]') FROM sales
SELECT state GLOB 'A*', state LIKE 'a%', state LIKE 'a\%' ESCAPE '\', state COLLATE NOCASE = 'texas' FROM sales
SELECT instr(state, 'a'), substr(state, -2), hex(state), quote(state), printf('%.2f', amount), unicode(state), char(65), soundex(state) FROM sales
SELECT `state`, [amount], "region" FROM `sales`
SELECT state FROM sales ORDER BY state COLLATE NOCASE LIMIT 5, 3
SELECT rowid, state FROM sales
SELECT amount ISNULL, amount NOTNULL, amount IS NULL, amount == 3, amount <> 3, amount != 4 FROM sales
SELECT state || '-' || channel AS k, count(*) FROM sales GROUP BY k HAVING k > 'A'
SELECT CAST(amount AS REAL), CAST(amount AS NUMERIC), CAST(id AS TEXT), CAST(amount AS INT) FROM sales
SELECT sum(amount) OVER (PARTITION BY state ORDER BY id RANGE UNBOUNDED PRECEDING) FROM sales
SELECT round(julianday('2021-12-31') - julianday(signup_date)) AS days FROM customers
SELECT * FROM sales WHERE order_date BETWEEN '2021-01-01' AND date('2021-01-01', '+3 months')
SELECT abs(-1), sign(-2), mod(7, 3), pi(), degrees(1), radians(1), log(10), log10(10), log2(8), acos(0), trunc(1.5)
SELECT DISTINCT upper(substr(state, 1, 1)) || lower(substr(state, 2)) FROM sales
SELECT x'41' AS blob_value
EXPLAIN QUERY PLAN SELECT * FROM sales WHERE id = 1
SELECT main.sales.amount FROM main.sales
WITH RECURSIVE d(day) AS (SELECT '2021-01-01' UNION ALL SELECT date(day, '+1 day') FROM d WHERE day < '2021-01-10') SELECT d.day, coalesce(sum(s.amount), 0) FROM d LEFT JOIN sales s ON s.order_date = d.day GROUP BY d.day
SELECT likely(amount > 3), unlikely(amount > 3), nullif(1, 1), coalesce(NULL, 2) FROM sales LIMIT 1
SELECT avg(amount) FROM (SELECT amount FROM sales ORDER BY amount LIMIT 2 - (SELECT count(*) FROM sales) % 2 OFFSET (SELECT (count(*) - 1) / 2 FROM sales))
SELECT count(*) FROM sales a, products b WHERE a.product_id = b.product_id
SELECT random() IS NOT NULL, trim(state, 'A'), ltrim(state), rtrim(state), replace(state, 'a', 'b') FROM sales LIMIT 1
SELECT mod(7.5, 2), 7.5 % 2, log(2, 8), log10(100), log2(8), ln(3) FROM sales
SELECT group_concat(DISTINCT state), count(DISTINCT state || region), sum(DISTINCT quantity) FROM sales
SELECT CAST('12' AS NUMERIC), CAST('12.5' AS DECIMAL(5, 1)), CAST('2021-01-01' AS DATE), CAST(1 AS BOOLEAN), CAST(12 AS VARCHAR(1)), CAST('9' AS BIGINT), CAST('1.5' AS REAL), CAST('1.5' AS DOUBLE), CAST('1.5' AS FLOAT), CAST(5 AS TEXT), CAST('x' AS BLOB)
SELECT 5 / 2, -5 / 2, -5 % 3, 5.0 / 2, 1 / 0, round(2.5), round(-2.5), 7 / 2.0, 'a' || NULL, 'abc' LIKE 'A%', 1 <> 2, 1 == 1, NOT 0, ~5
SELECT column1 FROM (VALUES (1), (NULL), (2)) ORDER BY column1
SELECT column1 FROM (VALUES (1), (NULL), (2)) ORDER BY column1 DESC
SELECT date('2021-01-31', '+1 month'), strftime('%d/%m/%Y %j %w', '2021-03-04'), substr('hello', -3), substr('hello', 2, 3), substring('hello', 2), instr('hello', 'l'), trim('xxhixx', 'x'), ltrim('xxhi', 'x')
