"""What is told follows from the plan and the shape of its result: the deciding number, whole keys, every condition."""

import sys
from functools import cache
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from averment.agents.analyst.teller import answer_of, tell
from averment.claims.relation import finding_of
from averment.plans.compile import compile_plan
from averment.plans.plan import GroupTest, Measure, Plan, Rank, Test, Value, Window
from averment.plans.statistics import statistic_of
from averment.records.claim import Claim

sys.path.insert(0, str(Path(__file__).parents[2] / "claims"))

from random_worlds import work_of  # It lies beside the tests of claims.


@cache
def meals() -> pa.Table:
    return pa.table(
        {
            "day": ["Sat", "Sat", "Sun", "Sun", "Thur", "Fri", None],
            "sex": ["Male", "Female", "Male", "Female", "Female", "Male", "Male"],
            "smoker": ["Yes", "No", "No", "Yes", "No", "No", "Yes"],
            "size": [2, 4, 2, 3, 2, 6, 2],
            "tip": [3.5, 2.25, 4.0, 3.0, 1.5, 2.5, 9.0],
        }
    )


@cache
def years() -> pa.Table:
    return pa.table(
        {
            "year": [1949, 1950, 1951, 1949, 1950, 1951],
            "month": ["Jan", "Jan", "Jan", "Feb", "Feb", "Feb"],
            "passengers": [100, 90, 130, 20, 20, 20],
            "share_pct": [10.0, 12.5, 20.0, 10.0, 10.0, 10.0],
        }
    )


def c(name: str, table: str = "meals", **more: object) -> Value:
    return Value(table=table, column=name, **more)  # type: ignore[arg-type]


def claims_of(plan: Plan, *, cut: bool = False) -> tuple[Claim, ...]:
    engine = duckdb.connect()
    engine.register("meals", meals())
    engine.register("years", years())
    compiled = compile_plan(plan)
    composed = compiled.compose("duckdb")
    table = engine.execute(composed.sql, list(composed.params)).to_arrow_table()
    claims = tell(work_of(composed.sql, truncated=cut), plan, compiled, table.slice(0, 2) if cut else table)
    for claim in claims:
        assert finding_of(claim).text == claim.text
    return claims


def answer(plan: Plan) -> str:
    return answer_of(claims_of(plan))


def tip(function: str = "mean") -> Measure:
    return Measure(function=function, of=c("tip"))  # type: ignore[arg-type]


ROWS = Measure(function="rows")
MALE = Test(value=c("sex"), to=("Male",))
SMALL = Test(value=c("size"), operator="<", to=(3,))


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (Plan(table="meals", measures=(tip(),)), "The average tip is 3.68."),
        (
            Plan(table="meals", measures=(tip(),), where=(MALE, SMALL)),
            "The average tip is 5.5 where sex is Male and size is under 3.",
        ),
        (Plan(table="meals", measures=(ROWS,), where=(MALE,)), "There are 4 rows in meals where sex is Male."),
        (
            Plan(table="meals", measures=(tip(),), where=(Test(value=c("size"), operator=">", to=(50,)),)),
            "There is no average tip where size is over 50: no row of meals has a value for it.",
        ),
        (
            Plan(table="meals", measures=(Measure(function="rate", where=(Test(value=c("smoker"), to=("Yes",)),)),)),
            "The share of rows where smoker is Yes is 42.9 %.",
        ),
        (
            Plan(table="meals", by=(c("sex"),), measures=(tip("max"),)),
            "The highest tip is 9 for Male and 3 for Female.",
        ),
        (Plan(table="meals", by=(c("day"),), measures=(ROWS,), rank=Rank()), "Sat and Sun share the most rows, 2."),
        (
            Plan(table="meals", by=(c("day"),), measures=(tip("sum"),), rank=Rank(limit=2)),
            "The highest total tip: Sun with 7 and Sat with 5.75.",
        ),
        (
            Plan(table="meals", by=(c("day"),), measures=(tip("sum"),), rank=Rank(skip=1)),
            "Sat has the second highest total tip, 5.75.",
        ),
        (
            Plan(table="meals", show=(c("day"), c("sex")), rank=Rank(by=c("tip"), descending=False)),
            "The lowest tip is 1.5, for day Thur and sex Female.",
        ),
        (Plan(table="meals", show=(c("tip"),), rank=Rank(by=c("tip"), limit=2)), "The highest tip: 9 and 4."),
        (
            Plan(table="meals", show=(c("day"),), distinct=True),
            "There are 4 different values of day: Fri, Sat, Sun and Thur.",
        ),
        (
            Plan(table="meals", show=(c("tip"),), where=(Test(value=c("day"), to=("Mon",)),)),
            "None: meals has no rows where day is Mon.",
        ),
        (
            Plan(
                table="years",
                by=(c("year", "years"),),
                measures=(Measure(function="sum", of=c("passengers", "years")),),
            ),
            "The total passengers rose from 120 in 1949 to 150 in 1951, by 25 %. "
            "The total passengers is lowest in 1950, at 110. "
            "The total passengers is 120 in 1949, 110 in 1950 and 150 in 1951.",
        ),
        (
            Plan(
                table="years",
                by=(c("year", "years"),),
                measures=(Measure(function="sum", of=c("passengers", "years")),),
                window=Window(kind="growth", along=0, span=(1949, 1950)),
            ),
            "The total passengers fell from 120 in 1949 to 110 in 1950, by 8.3 %.",
        ),
        (
            Plan(
                table="years",
                by=(c("year", "years"),),
                measures=(Measure(function="mean", of=c("share_pct", "years")),),
            ),
            "The average share_pct rose from 10 % in 1949 to 15 % in 1951. "
            "The average share_pct is 10 % in 1949, 11.2 % in 1950 and 15 % in 1951.",
        ),
        (
            Plan(table="meals", by=(c("sex"),), measures=(ROWS,), window=Window(kind="share")),
            "Of the number of rows, Male accounts for 57.1 % (4) and Female accounts for 42.9 % (3).",
        ),
        (
            Plan(
                table="meals",
                by=(c("day"),),
                measures=(tip(),),
                having=(GroupTest(measure=ROWS, operator=">=", to=(2,)),),
            ),
            "Counting only groups whose number of rows is at least 2, the average tip is 3.5 for Sun and 2.88 for Sat.",
        ),
        (
            Plan(table="meals", by=(c("day"), c("sex")), measures=(ROWS,), over_groups="mean"),
            "The average over each day and sex of the number of rows is 1.",
        ),
        (
            Plan(table="meals", measures=(Measure(function="distinct", of=c("day")),)),
            "There are 4 different values of day.",
        ),
        (
            Plan(
                table="meals",
                measures=(Measure(function="rows", where=(MALE,), over=Measure(function="rows"), percent=True),),
            ),
            "The share of rows where sex is Male is 57.1 %.",
        ),
        (
            Plan(table="meals", statistic=statistic_of("correlation", of=(c("tip"), c("size")))),
            "tip and size correlate weakly and negatively: r = -0.362 over 7 rows (p = 0.425).",
        ),
    ],
)
def test_a_plan_is_told_with_its_deciding_number_and_its_conditions(plan: Plan, said: str) -> None:
    assert answer(plan) == said


@pytest.mark.parametrize(
    ("sides", "asks", "said"),
    [
        (("Male", "Female"), "more", "Yes: the average tip is higher for Male, 4.75, than for Female, 2.25."),
        (("Female", "Male"), "more", "No: the average tip is lower for Female, 2.25, than for Male, 4.75."),
        (("Female", "Male"), "less", "Yes: the average tip is lower for Female, 2.25, than for Male, 4.75."),
        (("Male", "Female"), "less", "No: the average tip is higher for Male, 4.75, than for Female, 2.25."),
    ],
)
def test_a_yes_or_no_is_decided_by_the_sides_in_their_order(sides: tuple[str, str], asks: str, said: str) -> None:
    named = Test(value=c("sex"), operator="in", to=sides)
    plan = Plan(table="meals", where=(named,), by=(c("sex"),), measures=(tip(),), asks=asks)  # type: ignore[arg-type]
    assert answer(plan) == said


def test_a_yes_no_column_has_its_yes_as_the_first_side() -> None:
    plan = Plan(table="meals", by=(c("smoker"),), measures=(tip(),), asks="more")
    assert answer(plan) == "Yes: the average tip is higher for Yes, 5.17, than for No, 2.56."


def test_two_figures_are_two_sides() -> None:
    plan = Plan(table="meals", measures=(tip(), Measure(function="mean", of=c("size"))), asks="more")
    assert answer(plan) == "Yes: the average tip, 3.68, is higher than the average size, 3."


def test_what_sets_two_apart_names_the_group_it_is_said_of() -> None:
    plan = Plan(
        table="meals",
        by=(c("day"), c("sex")),
        measures=(tip(),),
        where=(Test(value=c("day"), operator="in", to=("Sat", "Sun")),),
        window=Window(kind="change", along=1, span=("Male", "Female")),
    )
    said = {claim.text.partition(",")[0] for claim in claims_of(plan) if claim.relation == "difference"}
    assert said == {"For Sat", "For Sun"}


def test_whether_there_is_any_is_answered_with_how_many() -> None:
    big = Test(value=c("tip"), operator=">", to=(100,))
    assert answer(Plan(table="meals", show=(c("tip"),), where=(big,), asks="any")).startswith("No: meals has no rows")
    assert answer(Plan(table="meals", show=(c("tip"),), where=(MALE,), asks="any")).startswith("Yes: there are 4 rows")


def test_of_a_cut_result_nothing_is_called_highest() -> None:
    plan = Plan(table="meals", by=(c("day"),), measures=(tip(),))
    claims = claims_of(plan, cut=True)
    assert claims
    assert {claim.relation for claim in claims} == {"is"}
    rows = Plan(table="meals", show=(c("tip"), c("day")))
    assert answer_of(claims_of(rows, cut=True)).startswith("The first rows of a result that was cut")


def test_a_superlative_over_two_keys_names_both() -> None:
    plan = Plan(table="meals", by=(c("day"), c("sex")), measures=(tip(),), where=(SMALL,))
    ends = [claim for claim in claims_of(plan) if claim.relation in {"highest", "lowest"}]
    assert len(ends) == 2
    assert all(
        "day " in claim.text and "sex " in claim.text and "where size is under 3" in claim.text for claim in ends
    )


def test_a_missing_key_is_told_last_and_wins_nothing() -> None:
    claims = claims_of(Plan(table="meals", by=(c("day"),), measures=(tip("max"),)))
    assert claims[0].text == (
        "The highest tip is 1.5 for Thur, 2.5 for Fri, 3.5 for Sat, 4 for Sun and 9 for rows with no value for day."
    )
    assert claims[1].text == "Sun has the highest tip, 4, leaving aside rows with no value for day."


def test_groups_that_differ_are_tested() -> None:
    plan = Plan(table="meals", statistic=statistic_of("difference_test", of=(c("tip"),), by=c("sex")))
    assert answer(plan) == (
        "The average tip is 2.25 for Female and 4.75 for Male; the difference can be chance "
        "(Welch's t = -1.65, p = 0.184)."
    )


def test_a_distribution_is_told_by_its_range_and_its_fullest_part() -> None:
    plan = Plan(table="meals", statistic=statistic_of("distribution", of=(c("tip"),), bins=3))
    assert answer(plan) == "tip has 7 values, from 1.5 to 9. The fullest range is 1.5 to 4, with 5 values."


def test_outliers_are_told_with_the_usual_range() -> None:
    plan = Plan(table="meals", statistic=statistic_of("outliers", of=(c("tip"),)), show=(c("day"),))
    assert answer(plan) == (
        "1 value of tip lies outside the usual range of 0.312 to 5.81, the lowest 9 and the highest 9."
    )


def test_no_outliers_is_an_answer() -> None:
    plan = Plan(table="meals", statistic=statistic_of("outliers", of=(c("tip"),)), where=(SMALL, MALE))
    assert answer(plan) == "None: meals has no outliers of tip where size is under 3 and sex is Male."


def test_of_dates_the_lowest_is_the_earliest_and_a_decade_is_called_so() -> None:
    import datetime as dt

    days = pa.table({"day": [dt.date(1961, 5, 1), dt.date(1972, 1, 3), dt.date(1974, 2, 2)], "level": [1.0, 2.0, 4.0]})
    engine = duckdb.connect()
    engine.register("air", days)

    def said(plan: Plan) -> str:
        compiled = compile_plan(plan)
        composed = compiled.compose("duckdb")
        table = engine.execute(composed.sql, list(composed.params)).to_arrow_table()
        return answer_of(tell(work_of(composed.sql), plan, compiled, table))

    first = Measure(function="min", of=c("day", "air"))
    assert said(Plan(table="air", measures=(first,))) == "The earliest day is 1961-05-01."
    decade = c("day", "air", kind="part", part="decade")
    change = Window(kind="change", along=0, span=(1960, 1970))
    mean = Measure(function="mean", of=c("level", "air"))
    plan = Plan(table="air", by=(decade,), measures=(mean,), window=change)
    assert said(plan) == "The average level rose from 1 in the 1960s to 3 in the 1970s, by 2."


def test_the_same_result_is_told_in_the_same_words() -> None:
    plan = Plan(table="meals", by=(c("day"), c("sex")), measures=(tip(), ROWS))
    assert [claim.text for claim in claims_of(plan)] == [claim.text for claim in claims_of(plan)]
