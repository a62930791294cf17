"""The one-line text form of a plan is the plan: written and read again it is the same, whatever is in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from averment.errors import InvalidArguments
from averment.plans.plan import (
    Combine,
    GroupTest,
    Join,
    Measure,
    Plan,
    Rank,
    Sort,
    Test,
    Value,
    Window,
    column,
    parse_plan,
)
from averment.plans.statistics import Correlation, DifferenceTest, Distribution, Members
from averment.plans.text import KEYWORDS, any_plan, parse_text, to_text

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "plan.md").read_text(encoding="utf-8")
GALLERY = re.findall(r"\*\*(.+)\*\*\n\n```json\n(.+)\n```\n\n```text\n(.+)\n```", PAGE)

NAMES = some.one_of(
    some.sampled_from(
        ["sales", "by", "Order Date", "a.b", "`x`", 'say "hi"', "back\\slash", "naïve", "1st", "two\nlines"]
    ),
    some.text(min_size=1, max_size=6),
)
SCALARS = some.one_of(
    some.text(max_size=8),
    some.booleans(),
    some.integers(-(10**9), 10**9),
    some.floats(allow_nan=False, allow_infinity=False),
)
NUMBERS = some.floats(-1e6, 1e6)
COLUMNS = some.builds(column, NAMES, NAMES)
PARTS = some.sampled_from(["year", "quarter", "month", "weekday"])
VALUES = some.recursive(
    some.one_of(
        COLUMNS,
        some.builds(lambda t, c, p: Value(kind="part", table=t, column=c, part=p), NAMES, NAMES, PARTS),
        some.builds(lambda t, c, w: Value(kind="bucket", table=t, column=c, width=w), NAMES, NAMES, some.just(2.5)),
        some.builds(lambda t, c: Value(kind="length", table=t, column=c), NAMES, NAMES),
        some.builds(lambda n: Value(kind="number", number=n), NUMBERS),
        some.just(Value(kind="place")),
    ),
    lambda inside: some.one_of(
        some.builds(
            lambda o, a, b: Value(kind="arithmetic", operation=o, operands=(a, b)),
            some.sampled_from(["+", "-", "*", "/"]),
            inside,
            inside,
        ),
        some.builds(lambda a, b: Value(kind="days", operands=(a, b)), inside, inside),
    ),
    max_leaves=4,
)


def _tests(plans: some.SearchStrategy[Plan] | None = None) -> some.SearchStrategy[Test]:
    plain = some.one_of(
        some.builds(
            lambda v, o, s, n: Test(value=v, operator=o, to=(s,), negated=n),
            VALUES,
            some.sampled_from(["=", "!=", "<", "<=", ">", ">=", "contains", "starts", "ends"]),
            SCALARS,
            some.booleans(),
        ),
        some.builds(
            lambda v, o, s: Test(value=v, operator=o, to=tuple(s)),
            VALUES,
            some.sampled_from(["in", "not in"]),
            some.lists(SCALARS, max_size=3),
        ),
        some.builds(lambda v, a, b: Test(value=v, operator="between", to=(a, b)), VALUES, SCALARS, SCALARS),
        some.builds(lambda v, n: Test(value=v, operator="null", negated=n), VALUES, some.booleans()),
        some.builds(lambda v, o: Test(value=v, operator=">", other=o), VALUES, VALUES),
    )
    if plans is not None:
        plain |= some.builds(lambda v, p: Test(value=v, operator="in", inner=p), VALUES, plans)
    return some.recursive(
        plain,
        lambda inside: some.builds(
            lambda tests, both, n: Test(all_of=tuple(tests), negated=n) if both else Test(any_of=tuple(tests)),
            some.lists(inside, min_size=1, max_size=3),
            some.booleans(),
            some.booleans(),
        ),
        max_leaves=3,
    )


def _measures(tests: some.SearchStrategy[Test]) -> some.SearchStrategy[Measure]:
    one = some.one_of(
        some.builds(
            lambda f, v, t: Measure(function=f, of=v, where=tuple(t)),
            some.sampled_from(["count", "distinct", "sum", "mean", "median", "min", "max", "stddev"]),
            VALUES,
            some.lists(tests, max_size=2),
        ),
        some.builds(lambda t: Measure(function="rows", table=t), some.none() | NAMES),
        some.builds(lambda t: Measure(function="rate", where=(t,)), tests),
        some.builds(lambda v, w: Measure(function="mean", of=v, weight=w), VALUES, VALUES),
        some.builds(lambda v: Measure(function="quantile", of=v, at=0.9), VALUES),
    )
    return one | some.builds(lambda a, b, p: a.changed(over=b, percent=p), one, one, some.booleans())


def _plans(inner: some.SearchStrategy[Plan] | None = None) -> some.SearchStrategy[Plan]:
    tests = _tests(inner)
    measures = _measures(tests)

    @some.composite
    def made(draw: some.DrawFn) -> Plan:
        join = some.builds(Join, left=NAMES, left_column=NAMES, right=NAMES, right_column=NAMES, outer=some.booleans())
        windows = some.builds(
            Window,
            kind=some.sampled_from(["share", "growth", "moving"]),
            along=some.none() | some.just(0),
            span=some.none() | some.tuples(SCALARS, SCALARS),
            steps=some.integers(1, 4),
            within=some.sampled_from([(), (0,), (0, 1)]),
        )
        ranks = some.builds(
            Rank,
            by=some.none() | VALUES,
            descending=some.booleans(),
            limit=some.integers(1, 9),
            within=some.sampled_from([(), (0,)]),
            skip=some.integers(0, 2),
        )
        groups = some.one_of(
            some.builds(lambda m, n: GroupTest(measure=m, operator=">=", to=(n,)), measures, NUMBERS),
            some.builds(lambda m: GroupTest(measure=m, operator="between", to=(1, 2.5)), measures),
            some.builds(lambda m, v: GroupTest(measure=m, operator="<", other=v), measures, VALUES),
        )
        two = some.tuples(VALUES, VALUES)
        statistics = some.one_of(
            some.builds(
                Correlation, of=two, against=some.none() | VALUES, method=some.sampled_from([None, "spearman"])
            ),
            some.builds(Distribution, of=some.tuples(VALUES), bins=some.integers(2, 20)),
            some.builds(DifferenceTest, of=some.tuples(VALUES), by=VALUES, method=some.none() | some.just("anova")),
            some.builds(Members, of=two, by=some.none() | VALUES, step=some.just("week")),
        )
        other = (
            some.none()
            if inner is None
            else some.none() | some.builds(Combine, operation=some.just("except"), other=inner)
        )
        return Plan(
            table=draw(NAMES),
            joins=tuple(draw(some.lists(join, max_size=1))),
            where=tuple(draw(some.lists(tests, max_size=2))),
            by=tuple(draw(some.lists(VALUES, max_size=2))),
            measures=tuple(draw(some.lists(measures, max_size=2))),
            having=tuple(draw(some.lists(groups, max_size=1))),
            window=draw(some.none() | windows),
            over_groups=draw(some.sampled_from([None, None, "mean", "count"])),
            show=tuple(draw(some.lists(VALUES, min_size=1, max_size=2))),
            distinct=draw(some.booleans()),
            rank=draw(some.none() | ranks),
            order=draw(some.sampled_from([(), (Sort(at=0), Sort(at=1, descending=True))])),
            combine=draw(other),
            statistic=draw(some.none() | statistics),
            asks=draw(some.sampled_from([None, None, "more", "any"])),
            expects=draw(some.sampled_from(["table", "figure", "yes_no"])),
            chart=draw(some.sampled_from([None, "bar", "stacked bar"])),
        )

    return made()


INNER = some.sampled_from(
    [
        Plan(table="t", show=(column("t", "a"),), rank=Rank(by=column("u", "of"), limit=2)),
        Plan(table="a b", measures=(Measure(function="mean", of=column("a b", "c")),), expects="figure"),
        Plan(table="t", where=(Test(value=column("t", "x"), to=("]",)),), by=(column("t", "x"),)),
    ]
)


@settings(max_examples=150, deadline=None)
@given(_plans(INNER))
def test_a_plan_written_as_a_line_and_read_again_is_the_same_plan(plan: Plan) -> None:
    line = to_text(plan)
    assert "\n" not in line and line.startswith("from ")
    assert parse_text(line).to_json() == plan.to_json()
    assert parse_text(line).hash == plan.hash


def test_what_the_line_has_no_words_for_stands_in_braces() -> None:
    odd = Plan(table="t", show=(Value(table="t", column="a", width=2.0),))
    assert to_text(odd) == 'from t show a{"width":2.0}'
    assert parse_text(to_text(odd)) == odd


def test_a_plan_without_a_line_of_its_own_is_written_as_json() -> None:
    odd = Plan(table="t", where=(Test(),), show=(column("t", "a"),))
    assert to_text(odd).startswith("{")
    assert parse_text(to_text(odd)) == odd


def test_a_person_may_break_and_space_a_line_freely() -> None:
    line = 'from sales\n  where amount>100 and region="West"\n  by month( order_date )\n  take sum(amount)'
    assert to_text(parse_text(line)) == (
        'from sales where amount > 100 and region = "West" by month(order_date) take sum(amount)'
    )


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("select * from t", "at “select * from t”"),
        ("from t take", "at the end"),
        ("from t take middle(x)", "at “(x)”"),
        ("from t show x whatever", "at “whatever”"),
        ("from t where x ~ 1 show x", "at “~ 1 show x”"),
        ("from t where x > show x", "at “x”"),
        ('from t show x{"colour": 1}', "colour"),
        ('from t show x {"colour": 1', "column 27"),
        ("{not json", "column 2"),
        ("from t by x rank sideways 3", "at “sideways 3”"),
        ("from t take median(x weighted by w)", "only a mean can be weighted"),
    ],
)
def test_what_is_no_plan_is_refused_with_the_place_where_it_stops_being_one(line: str, place: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        parse_text(line)
    assert caught.value.code == "INVALID_ARGUMENTS"
    assert place in caught.value.message


@pytest.mark.parametrize("word", sorted(KEYWORDS))
def test_a_column_may_be_called_like_any_word_of_the_language(word: str) -> None:
    plan = Plan(table="t", show=(column("t", word),), by=(column("t", word),))
    assert parse_text(to_text(plan)) == plan


def test_every_form_of_a_plan_is_taken() -> None:
    plan = Plan(table="t", measures=(Measure(function="rows"),))
    assert any_plan(plan) == any_plan(plan.to_json()) == any_plan("from t take rows()") == plan


def test_the_gallery_shows_the_line_of_every_plan() -> None:
    assert len(GALLERY) >= 15


@pytest.mark.parametrize(("question", "body", "line"), GALLERY, ids=[question for question, _, _ in GALLERY])
def test_a_line_of_the_gallery_is_its_plan(question: str, body: str, line: str) -> None:
    import json

    plan = parse_plan(json.loads(body))
    assert parse_text(line) == plan, question
    assert to_text(plan) == line
