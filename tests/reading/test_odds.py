"""The shipped odds are those of their recipe, and they say what a person would expect of odds."""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from averment.plans.compile import compile_plan
from averment.reading.judge import judging, odds
from averment.reading.judge.judging import execute, grouped, judge, probabilities
from averment.reading.judge.odds import Features, cross_margin, features_of, odds_of

ROOT = Path(odds.__file__).parents[4]
SHIPPED = json.loads((ROOT / "src/averment/reading/odds.json").read_text(encoding="utf-8"))
MANIFEST = SHIPPED["manifest"]


def _digest(path: str) -> str:
    return hashlib.sha256((ROOT / path).read_bytes()).hexdigest()


def test_the_trees_count_the_facts_in_the_order_the_code_has_them() -> None:
    assert MANIFEST["features"] == list(Features.names())


def test_what_may_not_be_fitted_on_is_what_was_set_aside_when_it_was_fitted() -> None:
    assert MANIFEST["set_aside_sha256"] == _digest("bench/set_aside.toml")
    assert MANIFEST["data"]["practice"]["sha256"] == {"practice.tar.xz": _digest("bench/practice.tar.xz")}


def test_every_tree_ends_in_a_leaf_whatever_the_facts_are() -> None:
    for tree in [*SHIPPED["heard"]["trees"], *SHIPPED["unheard"]["trees"]]:
        for place, node in enumerate(tree):
            assert len(node) in {1, 4}
            if len(node) == 4:
                assert 0 <= node[0] < len(Features.names())
                assert place < node[2] < len(tree) and place < node[3] < len(tree)


def test_the_model_card_shows_the_figures_of_the_manifest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from odds_fitting.manifest import figures

    assert figures(MANIFEST) in (ROOT / "docs/explain/odds.md").read_text(encoding="utf-8")
    sys.modules.pop("odds_fitting.manifest", None)


def test_readings_with_high_odds_were_right_on_tables_that_were_held_out() -> None:
    surest = [bucket for side in MANIFEST["validation"] for bucket in side["by odds"] if bucket["from"] >= 0.95]
    assert sum(b["right"] for b in surest) >= 0.93 * sum(b["count"] for b in surest) > 0
    for side in MANIFEST["validation"]:
        sure = [bucket for bucket in side["by odds"] if bucket["from"] >= 0.9]
        count, right = sum(b["count"] for b in sure), sum(b["right"] for b in sure)
        assert count >= 30 and right >= 0.9 * count, side["side"]


def _groups(library: Any, question: str) -> list[Any]:
    return grouped(execute(library.read(question), _runs(library))[0])


def _runs(library: Any) -> Any:
    def run(compiled: Any) -> Any:
        made = compiled.compose("duckdb")
        return library.engine.run(made.sql, made.params).table

    return run


def _facts(library: Any, question: str) -> Features:
    return features_of(_groups(library, question), 0, question=question)


def test_a_question_in_the_table_s_own_words_has_high_odds(rides: Any) -> None:
    assert odds_of(_facts(rides, "average fare by city"), heard=False) > 0.85
    assert probabilities(_groups(rides, "average fare by city"), "average fare by city")[0] > 0.85


@pytest.mark.parametrize("heard", [True, False])
def test_a_word_left_over_never_raises_the_odds(rides: Any, heard: bool) -> None:
    facts = _facts(rides, "average fare by city")
    found = [odds_of(replace(facts, left=float(left)), heard=heard) for left in range(4)]
    assert found == sorted(found, reverse=True)


@pytest.mark.parametrize("heard", [True, False])
def test_a_rival_as_good_never_raises_the_odds(rides: Any, heard: bool) -> None:
    facts = _facts(rides, "average fare by city")
    found = [odds_of(replace(facts, margin=margin), heard=heard) for margin in (2.0, 0.5, 0.0, -1.0)]
    assert found == sorted(found, reverse=True)


def test_the_better_a_read_back_fits_the_question_the_higher_are_its_odds(rides: Any) -> None:
    facts = _facts(rides, "average fare by city")
    found = [odds_of(replace(facts, cross=score, cross_margin=score), heard=True) for score in (-4.0, -1.0, 1.0, 4.0)]
    assert found == sorted(found) and found[0] < found[-1]


def test_a_rival_that_leaves_more_words_over_takes_nothing_from_the_margin() -> None:
    assert cross_margin([1.0, 3.0], [0, 1], 0) == odds.ALONE
    assert cross_margin([1.0, 3.0], [0, 0], 0) == -2.0
    assert cross_margin(None, [0, 0], 0) == 0.0


def test_a_follow_up_is_not_put_to_the_cross_reader(rides: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "packaged_cross_reader", lambda: pytest.fail("it was asked"))
    groups = _groups(rides, "average fare by city")
    assert len(probabilities(groups, "by city", groups[0][0].candidate.plan)) == len(groups)


def test_the_judge_orders_readings_by_their_odds(rides: Any) -> None:
    question = "average fare by city"
    verdict = judge(rides.read(question), _runs(rides), question=question)
    assert verdict.kind == "answer" and verdict.best is not None
    assert verdict.best.odds >= probabilities(_groups(rides, question), question)[0]
    assert compile_plan(verdict.best.candidate.plan).figures
