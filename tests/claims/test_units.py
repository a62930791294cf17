"""Units: read from a heading by a closed list or from what a person said, and written behind the number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from averment.claims.units import column_unit, heading_unit, titled, unit_of
from averment.evidence.formats import is_kind, write
from averment.plans.columns import measure_column
from averment.plans.compile import compile_plan
from averment.plans.plan import Measure, Plan, Value, Window
from averment.plans.statistics import statistic_of
from averment.settings import Settings
from averment.workbench import Workbench


@pytest.mark.parametrize(
    ("heading", "unit"),
    [
        ("weight (kg)", "kg"),
        ("Flow [m/s]", "m/s"),
        ("Length (in mm)", "mm"),
        ("age (years)", "years"),
        ("area_m2", "m²"),
        ("bill_length_mm", "mm"),
        ("bodyMassKg", "kg"),
        ("body_mass_g", "g"),
        ("price_usd", "USD"),
        ("Temp C", "°C"),
        ("Water (l)", "l"),
        ("temp (f)", "°F"),
        ("tank_capacity_l", "l"),
        ("trip km", "km"),
    ],
)
def test_a_heading_that_names_its_unit_is_read(heading: str, unit: str) -> None:
    assert heading_unit(heading) == unit


@pytest.mark.parametrize(
    "heading",
    [
        "temp_min",
        "amount_m",
        "rank (2024)",
        "sales (net)",
        "kg",
        "type_s",
        "vitamin_c",
        "grade_f",
        "model_t",
        "Total",
        "speed (m/s) mean",
        "mass_kg_total",
    ],
)
def test_a_heading_that_only_ends_like_a_unit_has_none(heading: str) -> None:
    assert heading_unit(heading) == ""


def test_what_a_person_said_wins_over_the_heading() -> None:
    value = Value(table="t", column="width_mm")
    assert unit_of(value, {"t.width_mm": {"unit": "inches"}}) == "inches"
    assert unit_of(value, {}) == "mm"


@pytest.mark.parametrize(
    ("said", "unit"),
    [
        ("  inches  wide ", "inches wide"),
        ("x" * 20, "x" * 20),
        ("x" * 21, ""),
        ("a:b", ""),
        ("{kg}", ""),
        ("", "mm"),
        (None, "mm"),
    ],
)
def test_what_a_person_said_is_short_and_has_nothing_that_a_kind_is_written_with(said: str | None, unit: str) -> None:
    assert unit_of(Value(table="t", column="width_mm"), {"t.width_mm": {"unit": said}}) == unit


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        (Value(table="t", column="width_mm"), "mm"),
        (Value(kind="as_number", table="t", column="width_mm"), "mm"),
        (Value(kind="length", table="t", column="width_mm"), ""),
        (Value(kind="column", table="t"), ""),
        (None, ""),
    ],
)
def test_only_a_plain_column_is_in_the_unit_of_its_heading(value: Value | None, unit: str) -> None:
    assert unit_of(value, {}) == unit


WIDE = Value(table="t", column="width_mm")
MEAN = Measure(function="mean", of=WIDE)


@pytest.mark.parametrize(
    ("measure", "unit"),
    [
        (MEAN, "mm"),
        (Measure(function="sum", of=WIDE), "mm"),
        *((Measure(function=name, of=WIDE), "") for name in ("variance", "count", "distinct")),
        (Measure(function="rows"), ""),
        (Measure(function="mean", of=WIDE, percent=True), ""),
        (Measure(function="sum", of=WIDE, over=Measure(function="rows")), ""),
    ],
)
def test_a_figure_is_in_the_unit_of_its_column_unless_its_function_makes_another(measure: Measure, unit: str) -> None:
    assert column_unit(measure_column("figure", measure), {}) == unit


@pytest.mark.parametrize(
    ("more", "unit"),
    [
        ({}, "mm"),
        ({"measures": (MEAN, Measure(function="rows"))}, ""),
        ({"over_groups": "count"}, ""),
        ({"over_groups": "mean"}, "mm"),
        *(({"window": Window(kind=kind)}, "") for kind in ("share", "rank")),
        *(({"window": Window(kind=kind, along=0)}, "") for kind in ("growth", "log_return")),
        ({"window": Window(kind="change", along=0)}, "mm"),
        ({"statistic": statistic_of("outliers", of=(WIDE,))}, ""),
    ],
)
def test_a_figure_over_groups_is_in_the_unit_of_what_it_is_computed_of_or_in_none(
    more: dict[str, Any], unit: str
) -> None:
    plan = Plan(table="t", by=(Value(table="t", column="day"),), measures=(MEAN,)).model_copy(update=more)
    assert column_unit(compile_plan(plan).columns[-1], {}) == unit


def test_a_number_in_a_unit_is_written_with_it() -> None:
    assert write(4201.75, "number in g") == "4,201.75 g"
    assert write(-3.14159, "abs number in km/h:3") == "3.142 km/h"
    assert write(1, "number in years") == "1 year"
    assert write(None, "number in g") == "no value"
    assert is_kind("money in EUR") and not is_kind("label in EUR")


def test_a_title_names_its_unit_once() -> None:
    assert titled("average weight (kg)", "kg") == "average weight (kg)"
    assert titled("average mass", "kg") == "average mass (kg)"
    assert titled("average Mass (KG)", "kg") == "average Mass (KG)"
    assert titled("average mass", "") == "average mass"


def test_an_answer_and_its_chart_name_the_unit_of_the_dataset(home: Settings, tmp_path: Path) -> None:
    place = tmp_path / "birds.csv"
    rows = "".join(f"{'ABC'[n % 3]},{30 + n % 7},{n % 5}\n" for n in range(60))
    place.write_text(f"species,wing_mm,clutch\n{rows}")
    with Workbench(settings=home) as workbench:
        workbench.datasets.add(place, name="birds")
        workbench.datasets.describe_column("birds", "clutch", unit="eggs")
        run = workbench.analyze("average wing by species", "dataset:birds")
        assert run.answer is not None and run.answer.count(" mm") == 3
        assert "(mm)" in str(run.chart_spec)
        said = workbench.analyze("total clutch by species", "dataset:birds")
        assert said.answer is not None and said.answer.count(" eggs") == 3
        for each in (run, said):
            assert workbench.verify(each.id).ok
