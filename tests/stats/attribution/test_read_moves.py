"""No told cause contradicts its data, over hundreds of random tables; and what was planted is mostly what is told."""

from __future__ import annotations

import numpy as np
import pytest
from made_tables import Rows, make_table

from averment.stats.attribution.breakdown import break_down
from averment.stats.attribution.facts import Facts
from averment.stats.attribution.story import LOCATED, Story
from averment.stats.attribution.tell import read_moves

TABLES = 500
NAMED = LOCATED | {"data_fault", "outlier"}


@pytest.fixture(scope="module")
def told() -> list[tuple[int, Rows, Facts, tuple[Story, ...]]]:
    """Every random table with the stories that are told about it."""
    found: list[tuple[int, Rows, Facts, tuple[Story, ...]]] = []
    for seed in range(TABLES):
        rows = make_table(seed)
        facts = rows.facts()
        found.append((seed, rows, facts, read_moves(facts).stories))
    return found


def own_figure(facts: Facts, story: Story) -> tuple[float, float]:
    """The figure that a story speaks of, computed from the rows alone."""
    mask = facts.mask(story.segment)
    inside = [i & mask for i in facts.inside]
    rows = [float(facts.rows[i].sum()) for i in inside]
    if story.kind == "volume":
        return rows[0] / facts.days[0], rows[1] / facts.days[1]
    if story.kind == "mix":
        weight = facts.den if facts.how == "ratio" else facts.rows
        part, whole = ([float(weight[i].sum()) for i in some] for some in (inside, facts.inside))
        return part[0] / whole[0], part[1] / whole[1]
    if facts.how == "ratio" or story.kind != "rate":
        return facts.value(0, mask), facts.value(1, mask)
    sums = [float(facts.num[i].sum()) for i in inside]
    return sums[0] / rows[0], sums[1] / rows[1]


def test_no_told_segment_stood_still(told: list[tuple[int, Rows, Facts, tuple[Story, ...]]]) -> None:
    for seed, _, facts, stories in told:
        for story in stories:
            if story.kind in LOCATED - {"new_or_gone"} and story.segment:
                before, after = own_figure(facts, story)
                assert abs(after - before) >= 0.005 * abs(before), (seed, story)


def test_a_figure_is_told_in_the_direction_it_went(told: list[tuple[int, Rows, Facts, tuple[Story, ...]]]) -> None:
    for seed, _, facts, stories in told:
        for story in stories:
            if story.kind in {"rate", "volume", "segment"} and story.segment and story.effect:
                before, after = own_figure(facts, story)
                assert (after - before) * story.effect > 0, (seed, story)


def test_a_share_beyond_the_change_has_an_offset_beside_it(
    told: list[tuple[int, Rows, Facts, tuple[Story, ...]]],
) -> None:
    for seed, _, facts, stories in told:
        change = facts.change
        shares = [story.effect / change for story in stories if story.effect is not None and change]
        for story in stories:
            if story.effect is None or not change:
                continue
            share = story.effect / change
            if not -0.2 <= share <= 1.2:
                assert any(other * share < 0 for other in shares), (seed, story)
                assert -0.2 <= sum(shares) <= 1.2, (seed, stories)


def test_what_is_called_new_or_gone_is_hardly_there_on_one_side(
    told: list[tuple[int, Rows, Facts, tuple[Story, ...]]],
) -> None:
    for seed, _, facts, stories in told:
        for story in stories:
            if story.kind == "new_or_gone" and story.since is None:
                mask = facts.mask(story.segment)
                rows = sorted(float(facts.rows[i & mask].sum()) for i in facts.inside)
                assert rows[0] <= 0.05 * rows[1], (seed, story)


def test_no_fault_is_told_that_was_not_planted(told: list[tuple[int, Rows, Facts, tuple[Story, ...]]]) -> None:
    false = [
        seed
        for seed, rows, _, stories in told
        if any(story.kind == "data_fault" and story.fault != rows.fault for story in stories)
    ]
    assert len(false) <= 0.01 * TABLES, false


def test_what_was_planted_comes_first(told: list[tuple[int, Rows, Facts, tuple[Story, ...]]]) -> None:
    planted = [(rows, stories) for _, rows, _, stories in told if rows.planted != "none"]
    right = [
        bool(stories)
        and stories[0].kind in rows.kinds
        and stories[0].segment in [dict(one) for one in rows.segments]
        and (rows.fault is None or stories[0].fault == rows.fault)
        for rows, stories in planted
    ]
    assert np.mean(right) >= 0.9


def test_where_nothing_happened_nothing_is_named(told: list[tuple[int, Rows, Facts, tuple[Story, ...]]]) -> None:
    quiet = [stories for _, rows, _, stories in told if rows.planted == "none"]
    silent = [not any(story.kind in NAMED for story in stories) for stories in quiet]
    assert np.mean(silent) >= 0.9


def test_the_parts_of_a_breakdown_add_up(told: list[tuple[int, Rows, Facts, tuple[Story, ...]]]) -> None:
    for seed, _, facts, _ in told[:120]:
        for name, axis in facts.axes.items():
            movers = break_down(facts, (name,))
            for mover in movers:
                parts = mover.rows_part + mover.value_part + mover.mix_part
                assert parts == pytest.approx(mover.change, rel=1e-6, abs=1e-6), (seed, mover)
            if facts.how == "sum" and len(axis.labels) <= 25:
                total = sum(mover.change for mover in movers)
                assert total == pytest.approx(facts.change, rel=1e-6, abs=1e-6), seed


def test_the_same_rows_in_another_order_tell_the_same() -> None:
    for seed in (3, 11, 42):
        rows = make_table(seed)
        first = read_moves(rows.facts()).stories
        rows.keep(np.random.default_rng(1).permutation(len(rows.day)))
        again = read_moves(rows.facts()).stories
        assert [(s.kind, s.fault, s.segment) for s in first] == [(s.kind, s.fault, s.segment) for s in again]
