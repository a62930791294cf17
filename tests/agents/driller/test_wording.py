"""Words around numbers: cut without breaking one, and readings of a metric's words."""

from averment.agents.driller.metric_words import choose_reading, read_words
from averment.agents.driller.wording import segment_words, whole_sentences
from averment.tables.profile import ColumnProfile, TableProfile


def column(name: str, role: str, kind: str = "integer", *, low: int = 0, high: int = 100) -> ColumnProfile:
    return ColumnProfile.model_validate(
        {
            "name": name,
            "type": "BIGINT" if kind == "integer" else "VARCHAR",
            "inferred_type": role,
            "data_type": kind,
            "cardinality": 50,
            "nulls": 0,
            "nullable": False,
            "sample_values": (),
            "minimum": low,
            "maximum": high,
            "mean": None,
            "quantiles": None,
            "values": None,
        }
    )


EVENTS = TableProfile(
    table="events",
    row_count=1_000,
    columns=(
        column("event_id", "id"),
        column("user_id", "id"),
        column("revenue", "measure"),
        column("clicks", "measure"),
        column("impressions", "measure"),
        column("converted", "dimension", low=0, high=1),
    ),
)


def sql_of(words: str, *tables: TableProfile) -> str | None:
    chosen = choose_reading(read_words(words, tables or (EVENTS,)))
    return None if chosen is None else chosen.sql


def test_common_names_of_metrics_are_read() -> None:
    assert sql_of("revenue") == 'SUM("events"."revenue")'
    assert sql_of("conversion rate") == 'AVG("events"."converted")'
    assert sql_of("active users") == 'COUNT(DISTINCT "events"."user_id")'
    assert sql_of("number of events") == 'COUNT("events"."event_id")'
    assert sql_of("CTR") == 'SUM("events"."clicks") / SUM("events"."impressions")'
    assert sql_of("average revenue") == 'AVG("events"."revenue")'
    assert sql_of("revenue per user") == 'SUM("events"."revenue") / COUNT(DISTINCT "events"."user_id")'


def test_unknown_words_and_two_ways_to_read_are_not_acted_on() -> None:
    assert sql_of("happiness") is None
    money = (column("amount", "measure"), column("sales", "measure"))
    twice = TableProfile(table="ledger", row_count=10, columns=money)
    assert sql_of("turnover", twice) is None


def test_a_text_is_cut_after_a_whole_sentence() -> None:
    assert whole_sentences("It fell by 12.34. It rose by 56.78.", 30) == "It fell by 12.34."
    assert whole_sentences("It fell by 12.34.", 30) == "It fell by 12.34."


def test_a_segment_is_told_in_a_fixed_order() -> None:
    assert segment_words({"plan": "free", "channel": "web"}) == "channel = web, plan = free"
    assert segment_words({}) == "everything"
