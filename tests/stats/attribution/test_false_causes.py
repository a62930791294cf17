"""What once was told as a cause and is none: labels that went over, columns that begin to be filled, wrong units."""

from __future__ import annotations

import numpy as np
import pytest
from made_tables import START, Rows

from averment.stats.attribution.facts import NONE
from averment.stats.attribution.tell import read_moves

PERIODS = ((START, START + 27), (START + 28, START + 55))


def events(seed: int = 3, a_day: int = 150, **dims: tuple[str, ...]) -> Rows:
    """Eight weeks of rows, each dimension drawn evenly."""
    random = np.random.default_rng(seed)
    day = np.repeat(np.arange(START, START + 56), random.poisson(a_day, 56))
    columns = {
        name: np.array(values, dtype=object)[random.integers(0, len(values), len(day))] for name, values in dims.items()
    }
    return Rows(day=day, value=random.gamma(4.0, 1.6, len(day)), dims=columns, periods=PERIODS)


def test_a_column_that_begins_to_be_filled_is_no_cause() -> None:
    rows = events(ticket=("yes", "no"), kind=("a", "b", "c"))
    rows.counts_rows = True
    rows.dims["ticket"] = np.where(rows.day < START + 40, NONE, rows.dims["ticket"])
    moves = read_moves(rows.facts())
    assert not [story for story in moves.stories if "ticket" in story.segment]
    assert "filled in on one side" in moves.refused["ticket"]


def test_of_two_halves_the_one_that_made_the_change_is_told_first() -> None:
    rows = events(0, a_day=170, kind=(*["aa"] * 3, *["zz"] * 4), shift=("early", "late"))
    rows.counts_rows = True
    random = np.random.default_rng(8)
    fewer = rows.after() & (rows.dims["kind"] == "zz") & (random.random(len(rows.day)) < 0.12)
    rows.keep(~fewer)
    more = np.flatnonzero(rows.after() & (rows.dims["kind"] == "aa") & (np.arange(len(rows.day)) % 10 == 0))
    rows.keep(np.sort(np.concatenate([np.arange(len(rows.day)), more])))
    assert read_moves(rows.facts()).stories[0].segment == {"kind": "zz"}


def test_entities_that_change_a_label_do_not_make_the_label_a_cause() -> None:
    random = np.random.default_rng(5)
    years = [START + 365 * n for n in range(8)]
    names = np.array([f"state {n:02d}" for n in range(30)], dtype=object)
    size = random.uniform(500, 4_000, 30)
    day = np.repeat(years, 30)
    at = np.tile(np.arange(30), 8)
    # Ten have the law all the time, and ten pass it in the last year.
    law = np.where((at < 10) | ((np.repeat(np.arange(8), 30) == 7) & (at < 20)), "yes", "no").astype(object)
    value = np.round(size[at] * random.normal(1.0, 0.02, len(at)) * np.repeat([1.0] * 7 + [0.93], 30))
    periods = ((years[6], years[6] + 364), (years[7], years[7] + 364))
    rows = Rows(day=day, value=value, dims={"law": law, "state": names[at]}, periods=periods)
    assert rows.facts().panel
    assert not [story for story in read_moves(rows.facts()).stories if "law" in story.segment]


@pytest.mark.parametrize("factor", [60.0, 100.0, 1000.0, 24.0, 0.01])
def test_the_factor_of_another_unit_is_the_one_that_was_applied(factor: float) -> None:
    rows = events(team=("x", "y", "z"))
    hit = rows.after() & (rows.day >= START + 34) & (rows.dims["team"] == "y")
    rows.value[hit] *= factor
    story = read_moves(rows.facts()).stories[0]
    assert story.fault == "unit_factor"
    assert story.factor == pytest.approx(factor)


def test_values_that_all_change_their_form_are_paired_by_what_they_hold_or_not_at_all() -> None:
    rows = events(a_day=400, driver=tuple(str(n) for n in range(11, 31)), zone=("n", "s", "e"))
    later = rows.day >= START + 36
    rows.dims["driver"] = np.where(later, np.char.add("DRV-0", rows.dims["driver"].astype(str)), rows.dims["driver"])
    renamed = [story for story in read_moves(rows.facts()).stories if story.fault == "rename"]
    assert renamed
    assert all(story.note == f"DRV-0{story.old}" for story in renamed)


def test_a_level_with_a_cause_names_the_cause_before_how_it_is_read() -> None:
    random = np.random.default_rng(6)
    places = [(house, item) for house in ("leeds", "bath", "derby") for item in ("chairs", "desks", "lamps")]
    level = random.uniform(300, 900, len(places))
    day = np.repeat(np.arange(START, START + 61), len(places))
    at = np.tile(np.arange(len(places)), 61)
    value = (level * np.exp(random.normal(0, 0.01, (61, len(places))).cumsum(axis=0))).ravel()
    house = np.array([places[n][0] for n in at], dtype=object)
    value = np.where((house == "leeds") & (day >= START + 34), 0.5 * value, value)
    item = np.array([places[n][1] for n in at], dtype=object)
    periods = ((START, START + 30), (START + 31, START + 60))
    rows = Rows(day=day, value=np.round(value), dims={"house": house, "item": item}, periods=periods)
    stories = read_moves(rows.facts()).stories
    assert stories[0].segment == {"house": "leeds"}
    assert [story.fault for story in stories[1:]] == ["summed_level"]


def test_values_that_last_a_few_days_are_not_gone() -> None:
    rows = events(kind=("a", "b"))
    rows.counts_rows = True
    rows.dims["storm"] = np.array([f"storm {(day - START) // 4:02d}" for day in rows.day], dtype=object)
    random = np.random.default_rng(2)
    rows.keep(~(rows.after() & (random.random(len(rows.day)) < 0.5)))
    moves = read_moves(rows.facts())
    assert not [story for story in moves.stories if "storm" in story.segment]
    assert [story.kind for story in moves.stories] == ["volume"]


def test_rows_that_the_metric_leaves_out_are_no_repeats_of_it() -> None:
    facts = events(kind=("a", "b")).facts()
    counted = facts.axes["kind"].codes == 0
    facts.rows, facts.num = np.where(counted, facts.rows, 0.0), np.where(counted, facts.num, 0.0)
    facts.repeats = np.where(counted | facts.inside[0], 0.0, 1.0)
    assert not [story for story in read_moves(facts).stories if story.fault == "duplicates"]


@pytest.mark.parametrize("flipped", [True, False])
def test_a_flipped_sign_takes_its_rows_twice_and_a_refund_once(flipped: bool) -> None:
    rows = events(category=("bags", "shoes", "hats"))
    hit = np.flatnonzero((rows.day >= START + 33) & (rows.day < START + 45) & (rows.dims["category"] == "bags"))
    if not flipped:
        places = np.sort(np.concatenate([np.arange(len(rows.day)), hit]))
        rows.keep(places)
        hit = np.flatnonzero(np.concatenate([[False], places[1:] == places[:-1]]))
    taken = float(rows.value[hit].sum())
    rows.value[hit] *= -1
    story = read_moves(rows.facts()).stories[0]
    assert (story.fault, story.segment) == ("negative_sign", {"category": "bags"})
    assert story.effect == pytest.approx(-2 * taken if flipped else -taken)
