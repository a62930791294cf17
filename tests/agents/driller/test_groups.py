"""Two groups of rows by a flag, a test and its control, compared by the same engine as two periods."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from made import Row, write_csv
from stage import Stage

from averment.errors import AvermentError, GroupNotFound, InvalidRequest, MetricUnreadable, MissingColumn
from averment.records.drilldown.request import DrillRequest
from averment.runtime.outcome import Run

GROUPS = {"column": "variant", "baseline": "A", "comparison": "B"}


def visits(worse: float = 0.0, *, count: int = 9_000, seed: int = 3, part: float = 0.5) -> list[Row]:
    """Visits of a test: in B those by phone convert less often, by so much."""
    chance = random.Random(seed)
    rows: list[Row] = []
    for number in range(count):
        variant = "B" if chance.random() < part else "A"
        device, country = chance.choice(("phone", "desktop", "tablet")), chance.choice(("DE", "FR", "US"))
        likely = 0.2 - (worse if variant == "B" and device == "phone" else 0.0)
        bought = int(chance.random() < likely)
        rows.append(
            {
                "visit": number,
                "day": f"2024-03-{1 + number % 28:02d}",
                "variant": variant,
                "arm": f"arm {variant.lower()}",
                "device": device,
                "country": country,
                "converted": bought,
                "revenue": round(bought * chance.gauss(40, 8), 2),
            }
        )
    return rows


def play(stage: Stage, path: Path, rows: list[Row], metric: str, **more: object) -> Run:
    given = {"groups": GROUPS, **more}
    periods = (given.pop("period", None),) * 2
    return stage.play([write_csv(path / "visits.csv", rows)], metric, *periods, **given)


@pytest.fixture(scope="module")
def tested(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return play(stage, tmp_path_factory.mktemp("groups"), visits(0.09), "AVG(converted)")


def explanations(stage: Stage, run: Run) -> list[dict[str, object]]:
    kept = next(one for one in run.artifacts if Path(one.content_ref).name == "explanations.json")
    return json.loads(stage.services.store.artifacts.read(kept))


def test_the_segment_in_which_the_groups_differ_is_named(stage: Stage, tested: Run) -> None:
    found = explanations(stage, tested)
    assert [one["segment"] for one in found] == [{"device": "phone"}]
    assert found[0]["title"] == "The metric itself is lower in variant = B in device = phone"
    assert 0.8 < float(str(found[0]["share"])) < 1.3


def test_nothing_is_told_in_words_of_time(stage: Stage, tested: Run) -> None:
    report = next(one for one in tested.artifacts if Path(one.content_ref).name == "report.md")
    text = stage.services.store.artifacts.read(report).decode().partition("## Proof")[0]
    assert "baseline group | variant = A" in text.replace("**", "")
    for word in (" fell", " rose", " went from", "2000-01-0", "days of the", "weekend"):
        assert word not in text, word


def test_a_column_that_says_the_same_as_the_flag_is_never_a_cause(stage: Stage, tested: Run) -> None:
    work = stage.work(tested)
    assert not [row for row in work.table("breakdown").to_pylist() if row["dimension"] == "arm"]


def test_groups_that_differ_by_chance_have_no_cause(stage: Stage, tmp_path: Path) -> None:
    for seed in (11, 12, 13):
        run = play(stage, tmp_path, visits(seed=seed), "AVG(converted)")
        assert explanations(stage, run) == []
        assert "No cause is proven" in (run.answer or "")


def test_groups_of_another_size_are_told_as_such_for_a_sum(stage: Stage, tmp_path: Path) -> None:
    run = play(stage, tmp_path, visits(part=0.2), "SUM(revenue)")
    assert [(one["kind"], one["segment"]) for one in explanations(stage, run)] == [("volume", {})]
    work = stage.work(run)
    assert "compare a mean or a rate" in stage_report(stage, run)
    assert work.state.rounds[-1].state["exit_reason"] in {"CONCLUDE", "STALL_DETECTED"}


def stage_report(stage: Stage, run: Run) -> str:
    kept = next(one for one in run.artifacts if Path(one.content_ref).name == "report.md")
    return stage.services.store.artifacts.read(kept).decode()


def test_a_period_keeps_the_groups_to_its_rows(stage: Stage, tmp_path: Path) -> None:
    rows = [row for row in visits(0.09) if row["day"] > "2024-03-14"]
    run = play(stage, tmp_path, visits(0.09), "COUNT(*)", period=("2024-03-15", "2024-03-31"))
    change = stage.work(run).table("attribution").slice(0, 1).to_pylist()[0]
    counted = [sum(row["variant"] == variant for row in rows) for variant in ("A", "B")]
    assert [change["before"], change["after"]] == counted


@pytest.mark.parametrize(
    ("groups", "metric", "error"),
    [
        ({**GROUPS, "comparison": "C"}, "AVG(converted)", GroupNotFound),
        ({**GROUPS, "column": "nowhere"}, "AVG(converted)", MissingColumn),
        (GROUPS, "SUM(revenue) / COUNT(DISTINCT day)", MetricUnreadable),
    ],
)
def test_groups_that_cannot_be_compared_are_refused(
    stage: Stage, tmp_path: Path, groups: dict[str, str], metric: str, error: type[AvermentError]
) -> None:
    run = play(stage, tmp_path, visits(count=200), metric, groups=groups)
    assert run.status == "failed"
    assert run.error is not None and run.error["code"] == error.code


def test_two_groups_share_their_time_and_are_two() -> None:
    given = {"data_sources": ["x.csv"], "metric_sql": "COUNT(*)", "baseline_period": None, "comparison_period": None}
    with pytest.raises(InvalidRequest):
        DrillRequest.checked(**given, groups={**GROUPS, "comparison": "A"})
    with pytest.raises(InvalidRequest):
        days = {"baseline_period": ("2024-01-01", "2024-01-31"), "comparison_period": ("2024-02-01", "2024-02-29")}
        DrillRequest.checked(**{**given, **days}, groups=GROUPS)
