"""A metric's words are read by the reader of questions over the tables there are, or asked back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from averment.agents.driller.metric_reading import LostMeaning, read_words
from averment.reading.schema.drift import columns_of
from averment.reading.schema.gather import gather
from averment.reading.schema.implied_joins import hang_together
from averment.reading.understand import understand
from averment.settings import Settings
from averment.store.knowledge.corrections import Correction
from averment.tables.engines.engine import Engine
from averment.tables.profile.profiler import profile
from averment.tables.sources.opening import open_sources

EVENTS = "event_id,user_id,day,revenue,clicks,impressions,converted,churned\n" + "".join(
    f"{n},{n % 7},2024-01-{n % 27 + 1:02d},{n % 5 * 4.5},{n % 4},{n % 30 + 9},{n % 2},{'yes' if n % 3 else 'no'}\n"
    for n in range(60)
)
ORDERS = "order_id,customer_id,order_date,amount,quantity\n" + "".join(
    f"{n},{n % 9},2024-01-{n % 27 + 1:02d},{n * 1.25},{n % 4 + 1}\n" for n in range(50)
)
VISITS = "visit_id,visitor_id,visited_at,channel\n" + "".join(
    f"{n},{n % 31},2024-01-{n % 27 + 1:02d},{'web' if n % 2 else 'app'}\n" for n in range(90)
)
Reads = Callable[..., list[str]]


@pytest.fixture(scope="module")
def sql_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reads]:
    folder = tmp_path_factory.mktemp("words")
    engines: dict[str, Engine] = {}

    def opened(tables: dict[str, str]) -> Engine:
        name = "-".join(tables)
        if name not in engines:
            paths: list[str] = []
            for table, text in tables.items():
                path: Path = folder / f"{table}.csv"
                path.write_text(text, encoding="utf-8")
                paths.append(str(path))
            settings = Settings(home=folder / "home")
            engines[name] = Engine(open_sources(paths, settings=settings, cache_dir=folder / "home"), settings)
        return engines[name]

    def read(words: str, **tables: str) -> list[str]:
        engine = opened(tables or {"events": EVENTS})
        profiles = [profile(engine, table.name) for table in engine.catalog.tables]
        return [reading.sql.replace('"', "") for reading in read_words(words, engine, profiles)]

    yield read
    for engine in engines.values():
        engine.close()


@pytest.mark.parametrize(
    ("words", "sql"),
    [
        ("revenue", "SUM(events.revenue)"),
        ("turnover", "SUM(events.revenue)"),
        ("conversion rate", "AVG(events.converted)"),
        ("churn rate", "AVG(events.churned)"),
        ("active users", "COUNT(DISTINCT events.user_id)"),
        ("daily active users", "COUNT(DISTINCT events.user_id)"),
        ("number of events", "COUNT(events.event_id)"),
        ("CTR", "SUM(events.clicks) / SUM(events.impressions)"),
        ("click-through rate", "SUM(events.clicks) / SUM(events.impressions)"),
        ("average revenue", "AVG(events.revenue)"),
        ("median revenue", "MEDIAN(events.revenue)"),
        ("total clicks", "SUM(events.clicks)"),
        ("revenue per user", "SUM(events.revenue) / COUNT(DISTINCT events.user_id)"),
        ("AOV", "SUM(events.revenue) / COUNT(CASE WHEN events.revenue <> 0 THEN 1 END)"),
    ],
)
def test_common_names_of_metrics_are_read(sql_of: Reads, words: str, sql: str) -> None:
    assert sql_of(words) == [sql]


@pytest.mark.parametrize(
    ("words", "sql"),
    [
        ("average order value", "SUM(orders.amount) / COUNT(CASE WHEN orders.amount <> 0 THEN 1 END)"),
        ("GMV", "SUM(orders.amount)"),
        ("units sold", "SUM(orders.quantity)"),
        ("orders per customer", "COUNT(orders.order_id) / COUNT(DISTINCT orders.customer_id)"),
        ("revenue per customer", "SUM(orders.amount) / COUNT(DISTINCT orders.customer_id)"),
        ("conversion rate", "COUNT(orders.order_id) / COUNT(visits.visit_id)"),
        ("visitors", "COUNT(DISTINCT visits.visitor_id)"),
    ],
)
def test_metrics_are_read_over_several_tables(sql_of: Reads, words: str, sql: str) -> None:
    assert sql_of(words, orders=ORDERS, visits=VISITS) == [sql]


def test_unknown_words_and_two_ways_to_read_are_not_acted_on(sql_of: Reads) -> None:
    assert sql_of("happiness") == []
    assert sql_of("units") == []
    twice = "day,net_amount,gross_amount\n2024-01-01,1,4\n2024-01-02,3,5\n2024-01-03,2,9\n"
    assert len(sql_of("turnover", ledger=twice)) != 1


TICKETS = "ticket_no,sold_on,cinema,price\n" + "".join(
    f"{n},2024-01-{n % 27 + 1:02d},c{n % 3},{n % 4 + 8.5}\n" for n in range(40)
)
LINES = "line_id,sold_on,item,unit_price,quantity\n" + "".join(
    f"{n},2024-01-{n % 27 + 1:02d},i{n % 3},{n % 4 + 8.5},{n % 5 + 1}\n" for n in range(40)
)


@pytest.mark.parametrize(
    ("words", "tables", "sql"),
    [
        ("revenue", {"tickets": TICKETS}, "SUM(tickets.price)"),
        ("takings", {"tickets": TICKETS}, "SUM(tickets.price)"),
        ("average price", {"tickets": TICKETS}, "AVG(tickets.price)"),
        ("revenue", {"lines": LINES}, "SUM((lines.unit_price * lines.quantity))"),
        ("units sold", {"lines": LINES}, "SUM(lines.quantity)"),
    ],
)
def test_revenue_of_prices_is_their_sum_times_the_units_sold(
    sql_of: Reads, words: str, tables: dict[str, str], sql: str
) -> None:
    assert sql_of(words, **tables) == [sql]


def taught(engine: Engine, word: str, means: str) -> Correction:
    """A word as a person taught it over the engine's tables."""
    profiles = [profile(engine, table.name) for table in engine.catalog.tables]
    meaning = understand(word, means, gather(profiles, hang_together(engine, profiles), lambda sql, params: []))
    assert meaning is not None
    return Correction(
        schema_fingerprint=engine.catalog.fingerprint,
        word=word,
        kind=meaning.kind,
        table=meaning.table,
        meaning=meaning.to_json(),
        schema_columns=columns_of(engine.catalog),
    )


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("taught")
    path = folder / "orders.csv"
    path.write_text(ORDERS, encoding="utf-8")
    settings = Settings(home=folder / "home")
    with Engine(open_sources([str(path)], settings=settings, cache_dir=folder / "home"), settings) as engine:
        yield engine


@pytest.mark.parametrize(
    ("word", "means", "metric", "sql"),
    [
        ("takings", "amount", "takings", "SUM(orders.amount)"),
        ("takings", "amount", "average takings", "AVG(orders.amount)"),
        ("worth", "amount times quantity", "total worth", "SUM((orders.amount * orders.quantity))"),
        (
            "basket",
            "total amount divided by number of orders",
            "basket",
            "SUM(orders.amount) / COUNT(orders.order_id)",
        ),
        ("revenue", "quantity", "revenue", "SUM(orders.quantity)"),
    ],
)
def test_a_taught_word_means_what_was_said_before_anything_else(
    orders: Engine, word: str, means: str, metric: str, sql: str
) -> None:
    profiles = [profile(orders, "orders")]
    found = read_words(metric, orders, profiles, [taught(orders, word, means)])
    assert [one.sql.replace('"', "") for one in found] == [sql]


def test_a_taught_word_whose_column_is_gone_is_not_read_as_something_else(orders: Engine) -> None:
    columns = (*columns_of(orders.catalog)[:4], ("orders", "discount", "DOUBLE"))
    lost = taught(orders, "revenue", "amount").changed(
        schema_fingerprint="another",
        schema_columns=columns,
        meaning={"word": "revenue", "kind": "column", "value": {"table": "orders", "column": "discount"}},
    )
    with pytest.raises(LostMeaning):
        read_words("revenue", orders, [profile(orders, "orders")], [lost])
