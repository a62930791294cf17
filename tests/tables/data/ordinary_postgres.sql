TABLE sales
SELECT date_trunc('month', order_date)::date AS m, sum(amount) FROM sales GROUP BY 1 ORDER BY 1
SELECT to_char(order_date, 'YYYY-MM'), extract(year FROM order_date), date_part('dow', order_date), age(order_date), order_date + interval '1 month', order_date - 7, order_date::timestamp AT TIME ZONE 'UTC' FROM sales
SELECT make_date(2021, 1, 2), to_date('2021-01-02', 'YYYY-MM-DD'), to_timestamp(0), date_bin('7 days', ts, timestamp '2021-01-01') FROM events
SELECT now() > timestamp '2020-01-01', localtimestamp IS NOT NULL, current_date - date '2021-01-01', justify_days(interval '40 days')
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount), percentile_disc(ARRAY[0.25, 0.75]) WITHIN GROUP (ORDER BY amount), mode() WITHIN GROUP (ORDER BY state) FROM sales
SELECT stddev(amount), stddev_pop(amount), var_samp(amount), corr(quantity, amount), covar_pop(quantity, amount), regr_slope(amount, quantity), regr_r2(amount, quantity), bool_and(amount > 0), bool_or(amount > 0), every(amount > 0), bit_or(quantity) FROM sales
SELECT string_agg(state, ', ' ORDER BY id), array_agg(state ORDER BY id DESC), json_agg(state), jsonb_object_agg(id, state) FROM sales
SELECT DISTINCT ON (state) state, amount FROM sales ORDER BY state, amount DESC
SELECT state, channel, sum(amount), grouping(state) FROM sales GROUP BY ROLLUP (state, channel)
SELECT state, channel, sum(amount) FROM sales GROUP BY CUBE (state, channel)
SELECT state, channel, sum(amount) FROM sales GROUP BY GROUPING SETS ((state), (channel), ())
SELECT s.id, l.m FROM sales s CROSS JOIN LATERAL (SELECT max(amount) AS m FROM sales x WHERE x.state = s.state) l
SELECT s.id, e.value FROM sales s LEFT JOIN LATERAL unnest(ARRAY[s.id, s.quantity]) AS e(value) ON true
SELECT d::date FROM generate_series(timestamp '2021-01-01', timestamp '2021-01-05', interval '1 day') AS d
SELECT g, g * 2 FROM generate_series(1, 5) AS g
SELECT u.v, u.n FROM unnest(ARRAY['a', 'b']) WITH ORDINALITY AS u(v, n)
SELECT payload->>'page', payload->'page', payload #>> '{page}', payload @> '{"page": "p1"}', payload ? 'page', jsonb_typeof(payload), jsonb_extract_path_text(payload, 'page') FROM events
SELECT e.event_id, k.key, k.value FROM events e, jsonb_each_text(e.payload) k
SELECT jsonb_path_query_first(payload, '$.page'), jsonb_build_object('a', event_id), to_jsonb(event_type) FROM events
SELECT row_to_json(s) FROM sales s
SELECT state ILIKE 'a%', state ~ '^A', state ~* '^a', state !~ 'x', state SIMILAR TO 'A%', state NOT LIKE 'b%' FROM sales
SELECT regexp_replace(email, '@.*', ''), regexp_match(email, '@(.*)$'), split_part(email, '@', 2), regexp_split_to_array(email, '@'), position('@' IN email), substring(email FROM '@(.*)$'), substring(name FROM 1 FOR 2), overlay(name PLACING 'x' FROM 1), left(name, 2), right(name, 2), lpad(name, 9, '0'), initcap(name), concat_ws('-', name, email), md5(email), strpos(email, '@'), translate(name, 'a', 'b'), reverse(name), starts_with(name, 'N'), format('%s-%s', name, email), repeat('x', 3), ascii(name), chr(65), btrim(name, 'x') FROM customers
SELECT amount::numeric(12, 2), amount::int, id::text, id::bigint, '5'::int, quantity::float8, CAST(amount AS numeric) FROM sales
SELECT round(amount::numeric, 2), ceil(amount), floor(amount), trunc(amount), mod(id, 3), power(amount, 2), width_bucket(amount, 0, 1000, 10), cbrt(27), gcd(4, 6), lcm(4, 6), sign(-1), div(7, 2), |/ 25 FROM sales
SELECT array_length(ARRAY[1, 2], 1), cardinality(ARRAY[1]), ARRAY[1, 2] || 3, (ARRAY[1, 2])[1], 1 = ANY (ARRAY[1, 2]), array_to_string(ARRAY[1], ','), ARRAY(SELECT state FROM sales), array_position(ARRAY[1], 1), ARRAY[1] && ARRAY[2], ARRAY[1] <@ ARRAY[1, 2]
SELECT greatest(1, 2), least(1, 2), num_nulls(1, NULL), pg_typeof(1), quote_literal('a')
SELECT * FROM sales FETCH FIRST 3 ROWS ONLY
SELECT * FROM sales TABLESAMPLE BERNOULLI (50) REPEATABLE (1)
SELECT sum(amount) OVER (ORDER BY order_date RANGE BETWEEN '7 days' PRECEDING AND CURRENT ROW) FROM sales
SELECT sum(amount) OVER w, row_number() OVER w FROM sales WINDOW w AS (PARTITION BY state ORDER BY id GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW)
WITH m AS MATERIALIZED (SELECT * FROM sales) SELECT count(*) FROM m
SELECT E'a\nb\\c' AS t, $$dollar; DROP TABLE x$$ AS u, $tag$it's$tag$ AS v
SELECT id FROM sales WHERE amount > $1 AND state = $2
SELECT amount FROM public.sales WHERE public.sales.id = 1
SELECT "sales"."state" FROM "sales"
SELECT State, AMOUNT FROM SALES
SELECT x.a, x.b FROM json_to_recordset('[{"a": 1, "b": "t"}]') AS x(a int, b text)
SELECT date '2021-01-01' + 3, timestamp '2021-01-01 10:00', interval '1 year 2 months', time '10:00'
SELECT (s).amount FROM sales s
SELECT count(*) FROM sales WHERE order_date >= date '2021-01-01' AND order_date < date '2021-01-01' + interval '3 months'
SELECT CASE WHEN count(*) = 0 THEN NULL ELSE sum(amount) / count(*) END FROM sales
SELECT (order_date, order_date + 5) OVERLAPS (date '2021-01-01', date '2021-02-01') FROM sales
SELECT to_number('12.5', '99.9'), random() < 2
SELECT state, sum(amount) FROM sales GROUP BY state ORDER BY sum(amount) DESC NULLS LAST
SELECT to_tsvector('english', name) @@ to_tsquery('name') FROM customers
SELECT * FROM sales WHERE state = ANY('{Arizona,Texas}')
SELECT x.* FROM events, LATERAL jsonb_to_record(payload) AS x(page text)
SELECT 5 BETWEEN SYMMETRIC 7 AND 3, (amount > 3) IS NOT UNKNOWN FROM sales
SELECT make_interval(days => 3), rank(100) WITHIN GROUP (ORDER BY amount) FROM sales
SELECT string_agg(DISTINCT state, ',') FROM sales
SELECT string_agg(DISTINCT state, ',' ORDER BY state DESC) FROM sales
SELECT array_agg(DISTINCT state ORDER BY state), count(DISTINCT (state, region)) FROM sales
SELECT 1.23456789::real, 1.23456789::numeric(4, 2), 1.5::float4, 1.5::float8, 3::int2, 'abc'::varchar(2), 'abc'::char(5), true::int, '12'::numeric, 'a'::bytea, '2021-01-01 10:00:01.5'::timestamp(0), '10:00'::time
SELECT 5 / 2, -5 / 2, -5 % 3, mod(-5, 3), 5 / 2.0, 2 ^ 3, 2 ^ -1, round(2.5), round(-2.5), log(100), ln(2), 'a' || NULL, concat('a', NULL), 'abc' LIKE 'A%', 'abc' ILIKE 'A%', 1 <> 2, 1 != 2, 5 # 3, ~5
SELECT x FROM (VALUES (1), (NULL), (2)) t(x) ORDER BY x
SELECT x FROM (VALUES (1), (NULL), (2)) t(x) ORDER BY x DESC
SELECT date_part('week', date '2021-01-03'), extract(dow FROM date '2021-01-03'), extract(isodow FROM date '2021-01-03'), date '2021-01-31' + interval '1 month', date_trunc('week', date '2021-01-03'), age(timestamp '2021-03-01', timestamp '2021-01-31')
SELECT (ARRAY[1, 2, 3])[1], (ARRAY[1, 2, 3])[2:3], (array_agg(state ORDER BY id))[1], substring('hello', 2, 3), substring('hello' FROM 2), trim('xxhixx', 'x'), trim(leading 'x' from 'xxhi'), position('l' in 'hello'), overlay('hello' placing 'XX' from 2 for 3) FROM sales
SELECT regexp_replace('aaa', 'a', 'b'), regexp_replace('aaa', 'a', 'b', 'g'), regexp_match('ab12', '([a-z]+)([0-9]+)'), 'abc' ~ 'B', 'abc' ~* 'B', substring('ab12' from '[0-9]+'), split_part('a,b', ',', 2), split_part('a,b', ',', -1)
