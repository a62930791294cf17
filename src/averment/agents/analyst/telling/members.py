"""Telling groups of equal size, cohorts, members of each period, and the fewest that make up most."""

from __future__ import annotations

from collections.abc import Iterator

from averment.agents.analyst.telling.blocks import name_of, rows_told, superlative
from averment.agents.analyst.telling.scene import ALSO, SHORT, ResultScene
from averment.agents.analyst.telling.words import figure_words
from averment.claims.speech import listed
from averment.plans.names import plain_number, value_name
from averment.plans.statistics import EqualGroups, Members, Retention
from averment.records.claim import Claim


def tell_equal_groups(scene: ResultScene, _statistic: EqualGroups) -> Iterator[Claim | None]:
    """Each group with its bounds; of many the ends alone."""
    rows = range(scene.sealed.size)
    told = rows if scene.sealed.size <= SHORT else (0, scene.sealed.size - 1)
    for place, column in enumerate(scene.compiled.figures):
        yield rows_told(scene, column, f"rows-{place + 1}", list(told))


def tell_retention(scene: ResultScene, statistic: Retention) -> Iterator[Claim | None]:
    """How many of each cohort come back one period later, and where most do."""
    cohort, after = scene.sealed.keys
    scene.kinds[cohort] = {"day": "date"}.get(statistic.period, statistic.period)
    column = scene.compiled.figures[-1]
    later = [row for row, steps in enumerate(scene.values(after)) if steps == 1]
    yield rows_told(scene, column, "retention", (later or list(range(scene.sealed.size)))[:SHORT])
    cohorts = len(set(scene.values(cohort)))
    if cohorts > 1:
        first = [row for row, steps in enumerate(scene.values(after)) if steps == 0]
        yield rows_told(scene, scene.compiled.figures[0], f"{ALSO}sizes", first[:SHORT])


def tell_members(scene: ResultScene, statistic: Members) -> Iterator[Claim | None]:
    """The figure that was asked for: each period of a short result, and its ends."""
    key = scene.sealed.keys[0]
    scene.kinds[key] = {"day": "date"}.get(statistic.period, statistic.period)
    first, *others = scene.compiled.figures
    short = scene.sealed.size <= SHORT
    if short:
        yield rows_told(scene, first, "rows-1", range(scene.sealed.size))
    for highest in (True, False):
        yield superlative(scene, first, highest=highest, prefix=ALSO if short else "")
    for place, column in enumerate(others, start=2):
        if short:
            yield rows_told(scene, column, f"{ALSO}rows-{place}", range(scene.sealed.size))


def tell_fewest(scene: ResultScene) -> Iterator[Claim | None]:
    """How many make up so much of the whole, and who leads them."""
    plan = scene.plan
    assert plan.rank is not None and plan.rank.until is not None  # only such rankings come here
    who = listed([value_name(each) for each in plan.by])
    whole = f"{plain_number(plan.rank.until)} percent of the {figure_words(plan.measures[0])}"
    words = {"one": f"value of {who} that makes up {whole}", "many": f"values of {who} that make up {whole}"}
    yield scene.claim("count", "fewest", [scene.count()], words=words)
    column, share, _ = scene.compiled.figures
    yield superlative(scene, column, highest=True)
    if scene.sealed.size <= SHORT:
        yield rows_told(
            scene, share, f"{ALSO}rows-2", range(scene.sealed.size), figure=f"share of {name_of(scene, column)}"
        )
