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
from averment.reading import learned, odds
from averment.reading.judge import execute, grouped, judge
from averment.reading.learned import described, learned_score
from averment.reading.odds import Features, features_of, odds_of

ROOT = Path(odds.__file__).parents[3]
SHIPPED = json.loads((ROOT / "src/averment/reading/odds.json").read_text(encoding="utf-8"))
MANIFEST = SHIPPED["manifest"]


def _digest(path: str) -> str:
    return hashlib.sha256((ROOT / path).read_bytes()).hexdigest()


def test_the_trees_count_the_facts_in_the_order_the_code_has_them() -> None:
    assert MANIFEST["features"] == list(Features.names())


def test_the_learned_reader_is_the_one_the_odds_were_fitted_with() -> None:
    assert MANIFEST["learned_sha256"] == _digest("src/averment/reading/learned.json")


def test_what_may_not_be_fitted_on_is_what_was_set_aside_when_it_was_fitted() -> None:
    assert MANIFEST["set_aside_sha256"] == _digest("bench/set_aside.toml")
    assert MANIFEST["data"]["practice"]["sha256"] == {"practice.tar.xz": _digest("bench/practice.tar.xz")}


def test_every_tree_ends_in_a_leaf_whatever_the_facts_are() -> None:
    for tree in SHIPPED["trees"]:
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


def _facts(library: Any, question: str) -> list[Features]:
    def run(compiled: Any) -> Any:
        made = compiled.compose("duckdb")
        return library.engine.run(made.sql, made.params).table

    groups = grouped(execute(library.read(question), run)[0])
    return [features_of(groups, place, question=question) for place in range(len(groups))]


def test_a_question_in_the_table_s_own_words_has_high_odds(rides: Any) -> None:
    assert odds_of(_facts(rides, "average fare by city")[0]) > 0.85


def test_a_word_left_over_never_raises_the_odds(rides: Any) -> None:
    facts = _facts(rides, "average fare by city")[0]
    chances = [odds_of(replace(facts, left=float(left))) for left in range(4)]
    assert chances == sorted(chances, reverse=True)


def test_a_rival_as_good_never_raises_the_odds(rides: Any) -> None:
    facts = _facts(rides, "average fare by city")[0]
    chances = [odds_of(replace(facts, margin=margin)) for margin in (2.0, 0.5, 0.0, -1.0)]
    assert chances == sorted(chances, reverse=True)


def test_what_is_learned_names_no_column_value_or_number_of_a_table(rides: Any) -> None:
    question = "average fare by city where minutes is above 12 and plan is month"
    names = " ".join(described(question, rides.read(question)[0]))
    assert not {"fare", "minutes", "12", "city", "month"} & set(names.replace("|", " ").split())
    assert "average|figure mean" in names


def test_the_same_question_and_reading_have_the_same_score(rides: Any) -> None:
    best = rides.read("how many rides by city")[0]
    assert learned_score("how many rides by city", best) == learned_score("how many rides by city", best)


def test_a_wording_never_seen_weighs_nothing(rides: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned, "_weights", dict)
    assert learned_score("how many rides by city", rides.read("how many rides by city")[0]) == 0.0


def test_the_judge_orders_readings_by_their_odds(rides: Any) -> None:
    def run(compiled: Any) -> Any:
        made = compiled.compose("duckdb")
        return rides.engine.run(made.sql, made.params).table

    question = "average fare by city"
    verdict = judge(rides.read(question), run, question=question)
    assert verdict.kind == "answer" and verdict.best is not None
    assert verdict.best.odds == pytest.approx(odds_of(_facts(rides, question)[0]))
    assert compile_plan(verdict.best.candidate.plan).figures
