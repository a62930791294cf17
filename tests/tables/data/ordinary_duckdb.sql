FROM sales
FROM sales SELECT state, sum(amount) GROUP BY ALL ORDER BY ALL
TABLE sales
DESCRIBE sales
SUMMARIZE sales
DESCRIBE SELECT * FROM sales
SELECT * EXCLUDE (id) REPLACE (upper(state) AS state) FROM sales
SELECT * RENAME (amount AS value) FROM sales
SELECT COLUMNS('.*_id') FROM sales
SELECT min(COLUMNS(*)) FROM products
SELECT COLUMNS(c -> c LIKE 'p%') FROM products
SELECT state, amount FROM sales QUALIFY row_number() OVER (PARTITION BY state ORDER BY amount DESC) = 1
PIVOT sales ON channel USING sum(amount) GROUP BY state
PIVOT sales ON channel IN ('web', 'app') USING sum(amount) AS total, count(*) AS n GROUP BY state
SELECT * FROM (PIVOT sales ON channel USING sum(amount) GROUP BY state) ORDER BY state
WITH p AS (PIVOT sales ON channel USING sum(amount) GROUP BY state) SELECT * FROM p
UNPIVOT products ON price, cost INTO NAME metric VALUE v
SELECT * FROM products UNPIVOT (v FOR k IN (price, cost))
SELECT * FROM sales PIVOT (sum(amount) FOR channel IN ('web', 'app') GROUP BY state)
SELECT state, channel, sum(amount) FROM sales GROUP BY ROLLUP (state, channel)
SELECT state, channel, sum(amount), grouping(state) FROM sales GROUP BY CUBE (state, channel)
SELECT state, channel, sum(amount) FROM sales GROUP BY GROUPING SETS ((state, channel), (state), ())
SELECT DISTINCT ON (state) state, amount FROM sales ORDER BY state, amount DESC
SELECT * FROM sales USING SAMPLE 5
SELECT * FROM sales TABLESAMPLE reservoir(5 ROWS) REPEATABLE (1)
SELECT * FROM sales USING SAMPLE 10%
SELECT date_trunc('month', order_date) AS m, sum(amount) FROM sales GROUP BY 1 ORDER BY 1
SELECT year(order_date), month(order_date), day(order_date), quarter(order_date), week(order_date), dayname(order_date), monthname(order_date), isodow(order_date), last_day(order_date) FROM sales
SELECT extract('year' FROM order_date), date_part('dow', order_date), extract(month FROM order_date) FROM sales
SELECT order_date + INTERVAL 1 MONTH, order_date - INTERVAL '3 days', order_date + 7, age(order_date) FROM sales
SELECT datediff('day', order_date, DATE '2022-01-01'), date_diff('month', order_date, current_date), date_sub('day', order_date, DATE '2022-01-01') FROM sales
SELECT strftime(order_date, '%Y-%m'), strptime('2021-01-02', '%Y-%m-%d'), make_date(2021, 1, 2), epoch(ts) FROM sales, events LIMIT 1
SELECT time_bucket(INTERVAL '1 week', order_date), count(*) FROM sales GROUP BY 1
SELECT ts::DATE, ts::VARCHAR, CAST(ts AS TIME), ts AT TIME ZONE 'UTC', hour(ts), epoch_ms(ts) FROM events
SELECT TRY_CAST(state AS INTEGER), state::VARCHAR(10), amount::DECIMAL(18, 2), id::BIGINT, id::HUGEINT FROM sales
SELECT payload->>'$.page', payload->'$.page', json_extract_string(payload, '$.page'), json_type(payload), json_keys(payload) FROM events
SELECT json_extract(payload, '$.page') FROM events
SELECT regexp_matches(email, '^u[0-9]'), regexp_extract(email, '@(.*)$', 1), regexp_replace(email, '@.*', ''), regexp_split_to_array(email, '@') FROM customers
SELECT email ~ '.*com', email SIMILAR TO '.*com', email ILIKE '%EX%', email GLOB '*.com', email NOT ILIKE 'x%' FROM customers
SELECT split_part(email, '@', 2), string_split(email, '@'), left(name, 2), right(name, 2), lpad(name, 9, '0'), starts_with(name, 'N'), contains(name, 'a'), strpos(name, 'm'), instr(name, 'm'), concat_ws('-', name, email) FROM customers
SELECT printf('%d items', id), format('{} of {}', id, state), repeat('x', 3), reverse(state), md5(state), sha256(state), hash(state) FROM sales
SELECT median(amount), quantile_cont(amount, 0.9), quantile_cont(amount, [0.25, 0.75]), mode(state), mad(amount), stddev(amount), stddev_pop(amount), var_samp(amount), skewness(amount), kurtosis(amount), entropy(state), approx_count_distinct(state), approx_quantile(amount, 0.5) FROM sales
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount), percentile_disc(0.5) WITHIN GROUP (ORDER BY amount) FROM sales
SELECT corr(quantity, amount), covar_pop(quantity, amount), regr_slope(amount, quantity), regr_r2(amount, quantity), regr_intercept(amount, quantity) FROM sales
SELECT arg_max(state, amount), arg_min(state, amount), max_by(state, amount), min_by(state, amount), max(amount, 3), any_value(state), first(state ORDER BY id), last(state ORDER BY id), bool_and(amount > 0), bool_or(amount > 0), count_if(amount > 5), product(quantity), histogram(channel), list(state ORDER BY id), string_agg(state, ', ' ORDER BY id), group_concat(state) FROM sales
SELECT list_transform([1, 2], x -> x + 1), list_filter([1, 2], lambda x: x > 1), [x * 2 FOR x IN [1, 2, 3] IF x > 1], list_reduce([1, 2], (a, b) -> a + b), list_sort([2, 1]), list_distinct([1, 1]), list_sum([1, 2]), len([1]), [1, 2][1], [1, 2, 3][1:2]
SELECT {'a': 1, 'b': state}.a, struct_pack(x := id, y := state), MAP {'k': 1}['k'], row(id, state) FROM sales
SELECT unnest([1, 2, 3]) AS u, generate_series(1, 3)
SELECT unnest(list(state)) FROM sales
SELECT d::DATE AS d FROM generate_series(DATE '2021-01-01', DATE '2021-01-10', INTERVAL 1 DAY) t(d)
SELECT r.range, g.i FROM range(3) r, generate_series(1, 2) g(i)
SELECT s.id, l.m FROM sales s, LATERAL (SELECT max(amount) AS m FROM sales x WHERE x.state = s.state) l
SELECT s.id, u.x FROM sales s, unnest([s.id, s.quantity]) u(x)
SELECT s.id FROM sales s SEMI JOIN products p USING (product_id)
SELECT s.id FROM sales s ANTI JOIN products p ON s.product_id = p.product_id
SELECT s.id, e.ts FROM sales s ASOF JOIN events e ON s.order_date >= e.ts
SELECT * FROM sales s POSITIONAL JOIN products p
SELECT * FROM sales UNION ALL BY NAME SELECT * FROM sales
SELECT id AS i, i + 1 AS j, j * 2 AS k FROM sales WHERE j > 3
SELECT count() FROM sales
SELECT total: sum(amount) FROM sales
SELECT name.upper() FROM customers
SELECT if(amount > 3, 'a', 'b'), ifnull(state, 'x'), greatest(1, 2), least(1, 2) FROM sales
SELECT 7 // 2, 2 ** 3, 2 ^ 3, 7 % 3, 5 / 2, xor(1, 2), even(3), gcd(4, 6), lcm(4, 6), pi(), degrees(1), log10(10), log2(8), sign(-1), trunc(1.5)
SELECT levenshtein('a', 'b'), jaccard('ab', 'bc'), damerau_levenshtein('a', 'b'), jaro_winkler_similarity('a', 'b')
SELECT sum(amount) OVER (ORDER BY order_date RANGE BETWEEN INTERVAL 7 DAYS PRECEDING AND CURRENT ROW) FROM sales
SELECT lag(amount IGNORE NULLS) OVER (ORDER BY id), sum(amount) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) FROM sales
SELECT amount FROM sales ORDER BY random() LIMIT 3
SELECT * FROM sales ORDER BY amount LIMIT 10%
SELECT amount FROM main.sales
SELECT E'a\nb' AS t, $$dollar; DROP$$ AS u
SELECT (SELECT max(amount) FROM sales) AS top, ARRAY(SELECT state FROM sales ORDER BY 1) AS states
SELECT state FROM sales WHERE amount > ALL (SELECT 1) AND amount = ANY (SELECT amount FROM sales)
SELECT state, sum(amount) AS s FROM sales GROUP BY state HAVING s > 1 ORDER BY s
SELECT bar(amount, 0, 1000, 10), format_bytes(12345), bin(3), hex('a'), to_base64('a'::BLOB) FROM sales LIMIT 2
WITH m AS MATERIALIZED (SELECT * FROM sales) SELECT count(*) FROM m
SELECT json_object('a', id, 'b', state), to_json([1, 2]) FROM sales
SELECT * FROM json_each('{"a": 1}')
SELECT week(order_date) AS w, weekofyear(order_date), yearweek(order_date), dayofyear(order_date), century(order_date) FROM sales
SELECT to_days(3), to_timestamp(0), now() > TIMESTAMP '2020-01-01', today() FROM sales LIMIT 1
SELECT sum(DISTINCT quantity), avg(DISTINCT quantity), sum(amount) / nullif(count(*), 0) FROM sales
SELECT typeof(amount), pg_typeof(id) FROM sales LIMIT 1
SELECT translate(state, 'abc', 'xyz'), ascii(state), chr(65), unicode(state), ord(state), strip_accents(state), ltrim(state, 'A'), rtrim(state) FROM sales
SELECT position('a' IN state), substring(state FROM 2 FOR 3), trim(BOTH 'A' FROM state) FROM sales
SELECT DATE '2021-01-01' AS d, TIMESTAMP '2021-01-01 10:00:00' AS t, TIME '10:00' AS h, INTERVAL '1' YEAR AS y
SELECT column_name FROM (DESCRIBE sales)
SELECT column_name, approx_unique FROM (SUMMARIZE sales)
SELECT * FROM sales WHERE COLUMNS(*) IS NOT NULL
SELECT sum(amount) FILTER (channel = 'web') FROM sales
SELECT state, sum(amount) s, sum(s) OVER () FROM sales GROUP BY state
SELECT id FROM sales WHERE id = ANY([1, 2, 3])
SELECT json_extract_string(payload, ['$.page', '$.x']) FROM events
SELECT string_agg(DISTINCT state, ', ') FROM sales
SELECT string_agg(DISTINCT state, ', ' ORDER BY state) FROM sales
SELECT list(DISTINCT state ORDER BY state), list(amount ORDER BY amount DESC)[1:3], count(DISTINCT state) FROM sales
SELECT first_value(amount IGNORE NULLS) OVER (ORDER BY id) FROM sales
SELECT count(DISTINCT (state, region)), approx_top_k(state, 2) FROM sales
SELECT 1.23456789::FLOAT, 1.23456789::REAL, 1.23456789::DOUBLE, 1.23456789::DECIMAL, 1.5::FLOAT4, 1.5::FLOAT8, 3::INT1, 3::UTINYINT, 'a'::STRING, 'a'::BYTEA
SELECT '2021-01-01 10:00:01.5'::TIMESTAMP_S, '2021-01-01 10:00:01.5'::DATETIME, '2021-01-01 10:00:01.5'::TIMESTAMP_NS, '10:00'::TIME, 1::BOOLEAN, 'x'::CHAR, 'xy'::VARCHAR(1)
SELECT mode() WITHIN GROUP (ORDER BY state) FROM sales
SELECT 5 / 2, 5 // 2, -5 // 2, -5 % 3, mod(-5, 3), 2 ** -1, round(2.5), round(-2.5), 7 / 0, log(100), log(2, 8), ln(2), substring('hello', 2, 3), substr('hello', -3)
SELECT 'a' || NULL, concat('a', NULL), 'abc' LIKE 'A%', 'abc' ILIKE 'A%', 'a_c' LIKE 'a\_c' ESCAPE '\', NOT NULL, NULL IS NULL, 1 <> 2, 1 != 2, 1 == 1
SELECT date_trunc('week', DATE '2021-01-03'), week(DATE '2021-01-03'), dayofweek(DATE '2021-01-03'), isodow(DATE '2021-01-03'), DATE '2021-01-31' + INTERVAL 1 MONTH, datediff('month', DATE '2021-01-31', DATE '2021-02-01'), datesub('month', DATE '2021-01-31', DATE '2021-02-01')
SELECT [1, 2, 3][1], [1, 2, 3][-1], [1, 2, 3][2:], 'hello'[1], 'hello'[2:3], {'a': 1}['a'], list_value(1, 2)[2], string_split('a,b', ',')[2]
SELECT state, amount FROM sales ORDER BY amount DESC, state LIMIT 3
SELECT x FROM (VALUES (1), (NULL), (2)) t(x) ORDER BY x
SELECT x FROM (VALUES (1), (NULL), (2)) t(x) ORDER BY x DESC
SELECT strftime(DATE '2021-03-04', '%d/%m/%Y %j %A'), strptime('04/03/2021', '%d/%m/%Y'), epoch(TIMESTAMP '2021-01-01'), make_timestamp(2021, 1, 2, 3, 4, 5.5)
SELECT regexp_extract('ab12', '[0-9]+'), regexp_extract('ab12', '([a-z]+)([0-9]+)', 2), regexp_replace('aaa', 'a', 'b'), regexp_replace('aaa', 'a', 'b', 'g'), regexp_matches('abc', 'b'), 'abc' ~ 'b'
