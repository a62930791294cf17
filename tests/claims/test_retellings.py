"""A retelling passes where it says what its sentence says, and never where it turns it."""

import tomllib
from pathlib import Path

import pytest

from averment.claims.of_restatements import restates
from averment.language.retelling.differences import difference

HERE = Path(__file__).parent
FIRST = tomllib.loads((HERE / "retellings.toml").read_text(encoding="utf-8"))["case"]
FRESH = tomllib.loads((HERE / "retellings_fresh.toml").read_text(encoding="utf-8"))["case"]
LEAST = 0.7


@pytest.mark.parametrize("case", [*FIRST, *FRESH], ids=lambda case: case["turned"])
def test_a_turned_retelling_never_passes(case: dict[str, str]) -> None:
    assert not restates(case["turned"], case["source"])


@pytest.mark.parametrize("cases", [FIRST, FRESH], ids=["first", "fresh"])
def test_most_faithful_retellings_pass(cases: list[dict[str, str]]) -> None:
    assert sum(restates(case["faithful"], case["source"]) for case in cases) >= LEAST * len(cases)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        (
            "Strings are encoded before they are written in UTF-8.",
            "Strings are encoded in UTF-8 before they are written.",
        ),
        ("After they are issued, tokens expire 15 minutes.", "Tokens expire 15 minutes after they are issued."),
        (
            "The engine was sold by the Brandt works in Silesia to a mine.",
            "The engine was sold by the Brandt works to a mine in Silesia.",
        ),
        ("The methods will be removed by version 5.", "The methods will be removed in version 5."),
        ("The bugs are probably the known ones.", "The probably bugs are the known ones."),
        ("30 percent raised the price.", "The price was raised by 30 percent."),
        ("In 2019 he wrote it and sold it.", "He wrote it and sold it in 2019."),
        ("In 2019 he wrote it and it was sold.", "He wrote it and it was sold in 2019."),
        ("If it rains, he says that it fails.", "He says that it fails if it rains."),
        ("Because it is slow, it was not removed.", "It was not removed because it is slow."),
        ("Alice paid by Bob.", "Alice paid Bob."),
        ("No tests are not run by the tool.", "The tool does not run no tests."),
    ],
)
def test_what_may_belong_to_something_else_is_not_moved(text: str, source: str) -> None:
    assert not restates(text, source)


@pytest.mark.parametrize(
    ("text", "source", "reason"),
    [
        ("It fell in 2012.", "It fell in 2011.", "it does not keep the numbers of its sentence"),
        ("It may fail.", "It must fail.", "it changes what must, may or will be"),
        ("It does not fail.", "It does fail.", "it does not keep the negation of its sentence"),
        ("It opens for Ada.", "It opens by Ada.", "it does not keep the prepositions of its sentence"),
        ("Bob met Alice.", "Alice met Bob.", "it says who does what, or what belongs to what, in another way"),
    ],
)
def test_a_refusal_says_what_was_changed(text: str, source: str, reason: str) -> None:
    assert difference(text, source).startswith(reason)
