"""A sentence over several facts passes where each of its statements is one of theirs, and never where one is turned."""

import tomllib
from pathlib import Path

import pytest

from averment.claims.of_inferences import Premise, why_not_inferred

HERE = Path(__file__).parent
FIRST = tomllib.loads((HERE / "inferences.toml").read_text(encoding="utf-8"))["case"]
FRESH = tomllib.loads((HERE / "inferences_fresh.toml").read_text(encoding="utf-8"))["case"]
LEAST = 0.7


def premises(case: dict[str, list[list[str]]]) -> list[Premise]:
    return [Premise(quote, title=title) for title, quote in case["facts"]]


@pytest.mark.parametrize("case", [*FIRST, *FRESH], ids=lambda case: case["turned"])
def test_a_turned_inference_never_passes(case: dict[str, str]) -> None:
    assert why_not_inferred(case["turned"], premises(case)) is not None


@pytest.mark.parametrize("cases", [FIRST, FRESH], ids=["first", "fresh"])
def test_most_faithful_inferences_pass(cases: list[dict[str, list[list[str]]]]) -> None:
    assert sum(why_not_inferred(str(case["faithful"]), premises(case)) is None for case in cases) >= LEAST * len(cases)


@pytest.mark.parametrize(
    ("text", "facts", "reason"),
    [
        ("Alice paid Bob and Carol.", ["Alice paid Bob.", "Carol paid Bob."], "it says something that none"),
        (
            "Alice paid Bob in 2011 and Carol in 2012.",
            ["Alice paid Bob in 2011.", "Carol paid Bob in 2012."],
            "it says",
        ),
        ("In 1991 it was sold, and Norvik closed it.", ["In 1991 it was sold.", "Norvik closed it."], "it says"),
        (
            "It was sold and Norvik closed the mine in 1991.",
            ["It was sold.", "Norvik closed the mine in 1991."],
            "it says",
        ),
        ("If it rains, A fails, and B stops.", ["If it rains, A fails.", "B stops."], "it says something that none"),
        ("It is not open and it is free.", ["It is not open.", "It is free."], "it says something that none"),
        ("A is open.", ["A is open.", "B is open."], "it names a fact that it does not rest on"),
        ("A is open.", ["A is open."], "a sentence over several facts rests on two to"),
    ],
)
def test_what_may_hold_over_both_statements_is_not_taken_apart(text: str, facts: list[str], reason: str) -> None:
    why = why_not_inferred(text, [Premise(fact) for fact in facts])
    assert why is not None
    assert why.startswith(reason)
