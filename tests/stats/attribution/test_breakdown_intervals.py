"""The 95 % interval of a segment's change comes from the segment's own rows, and holds the expected change as often."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from averment import Workbench
from averment.settings import Settings
from averment.stats.attribution.breakdown import MovedValue, break_down
from averment.stats.attribution.facts import CodedAxis, Facts

WEEK = np.array([1.2, 1.1, 1.0, 1.0, 1.3, 0.6, 0.5])
SIZES = {"large": 60.0, "middle": 25.0, "small": 8.0, "rare": 2.0}


def drawn(random: np.random.Generator, metric: str, *, days: int = 28, move: float = 0.0) -> tuple[Facts, list[float]]:
    """Rows of two periods with a weekday pattern, the middle segment moved; and the expected change of each segment."""
    span = np.arange(2 * days)
    after = span >= days
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    expected: list[float] = []
    for code, size in enumerate(SIZES.values()):
        rate = size * WEEK[span % 7] * np.where(after & (code == 1), 1.0 + move, 1.0)
        day = np.repeat(span, random.poisson(rate))
        values = {
            "count": np.ones(len(day)),
            "sum": random.lognormal(3.0, 1.0, len(day)),
            "share": (random.random(len(day)) < 0.1).astype(float),
        }[metric]
        change = rate[after].sum() - rate[~after].sum()
        expected.append(float(change * {"count": 1.0, "sum": np.exp(3.5), "share": 0.0}[metric]))
        parts.append((day, np.full(len(day), code), values))
    day, code, values = (np.concatenate(each) for each in zip(*parts, strict=True))
    ones = np.ones(len(day))
    first = 738_000
    facts = Facts(
        day=day + first,
        num=values,
        den=ones,
        rows=ones,
        empty=0 * ones,
        squares=values**2,
        cross=values,
        weights=ones,
        axes={"segment": CodedAxis(codes=code, labels=tuple(SIZES))},
        how="ratio" if metric == "share" else "sum",
        counts_rows=metric == "count",
        periods=((first, first + days - 1), (first + days, first + 2 * days - 1)),
    )
    return facts, expected


def broken_down(metric: str, sets: int, **drawing: Any) -> list[tuple[MovedValue, float]]:
    random = np.random.default_rng(20_240_917)
    rows: list[tuple[MovedValue, float]] = []
    for _ in range(sets):
        facts, expected = drawn(random, metric, **drawing)
        known = dict(zip(SIZES, expected, strict=True))
        rows += [(one, known[one.value]) for one in break_down(facts, ("segment",))]
    return rows


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.mark.parametrize(
    ("metric", "drawing"),
    [
        ("count", {}),
        ("count", {"days": 7}),
        ("count", {"move": 0.3}),
        ("sum", {}),
        ("sum", {"move": -0.3}),
        ("share", {}),
    ],
    ids=str,
)
def test_the_interval_holds_the_expected_change_in_about_95_of_100_rows(metric: str, drawing: dict[str, Any]) -> None:
    rows = broken_down(metric, 100, **drawing)
    held = [one.low is not None and one.high is not None and one.low <= true <= one.high for one, true in rows]
    assert 0.92 <= np.mean(held) <= 0.985  # 400 rows: two standard errors around 93 to 97 of 100


def test_of_segments_that_did_not_move_few_are_beyond_noise() -> None:
    rows = [one for metric in ("count", "sum", "share") for one, _ in broken_down(metric, 60)]
    assert np.mean([one.beyond for one in rows]) <= 0.07


def test_a_row_is_beyond_noise_where_its_interval_leaves_zero_out() -> None:
    for one, _ in broken_down("count", 20, move=0.15):
        assert one.low is not None
        assert one.high is not None
        assert one.beyond == (one.low > 0 or one.high < 0)


def test_a_segment_that_hardly_changed_has_the_interval_of_its_own_days(home: Path, tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    start = date(2024, 8, 1)
    counts = {name: random.poisson(rate * WEEK[np.arange(56) % 7]) for name, rate in (("web", 40), ("app", 30))}
    counts["web"][28] += int(counts["web"][:28].sum() - counts["web"][28:].sum()) - 2  # A change of two orders fewer.
    counts["app"][40:] //= 5
    assert (counts["web"] >= 0).all()
    lines = ["day,channel,pieces"]
    for offset in range(56):
        lines += [f"{start + timedelta(days=offset)},{name},1" for name in counts for _ in range(counts[name][offset])]
    path = tmp_path / "orders.csv"
    path.write_text("\n".join(lines) + "\n")
    first, last, later, end = (str(start + timedelta(days=days)) for days in (0, 27, 28, 55))
    with Workbench(settings=Settings(home=home, model_provider="none")) as workbench:
        run = workbench.drill([path], metric_sql="COUNT(*)", baseline=(first, last), comparison=(later, end))
        call = next(call for call, _ in workbench.runs.calls(run.id) if call.tool_name == "metric.breakdown")
        table = workbench.runs.table(run.id, call.call_id)
        assert table is not None
        rows = {row["value"]: row for row in table.to_pylist()}
        assert workbench.verify(run.id).ok
    counted = float(counts["web"].sum()) ** 0.5
    assert rows["web"]["change"] == -2
    assert rows["web"]["verdict"] == "noise"
    half = (rows["web"]["high"] - rows["web"]["low"]) / 2
    assert counted < half < 6 * counted  # Two Poisson counts alone give 1.96 of these; the moved day adds to them.
    assert rows["app"]["verdict"] == "beyond noise"
    assert rows["app"]["high"] < 0
