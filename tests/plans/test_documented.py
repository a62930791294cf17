"""The page about plans names every field, and its gallery says what the plans say."""

import json
import re
from pathlib import Path

import pytest

from averment.plans import plan as language
from averment.plans.compile import compile_plan
from averment.plans.operations import AddedStatistic
from averment.plans.plan import PLAN_VERSION, parse_plan
from averment.plans.readback import read_back
from averment.plans.statistics import OWN
from averment.records.marks import CERTAINTIES

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "plan.md").read_text(encoding="utf-8")
PARTS = ("Plan", "Value", "Test", "Measure", "GroupTest", "Window", "Rank", "Sort", "Across", "Combine")
GALLERY = re.findall(r"\*\*(.+)\*\*\n\n```json\n(.+)\n```\n\n```text\n.+\n```\n\n> (.+)", PAGE)


@pytest.mark.parametrize("part", PARTS)
def test_every_field_of_the_plan_language_is_on_its_page(part: str) -> None:
    heading = "Group test" if part == "GroupTest" else part
    section = PAGE.split(f"### {heading}\n", 1)[1].split("\n#", 1)[0]
    named = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert named == list(getattr(language, part).model_fields)


def test_every_field_of_a_statistic_is_on_the_page() -> None:
    section = PAGE.split("### Statistic\n", 1)[1].split("\n#", 1)[0]
    named = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert named == ["kind", *AddedStatistic.model_fields, *OWN]
    assert {field for kind in OWN.values() for field in kind.model_fields} <= set(named)


def test_the_gallery_holds_at_least_fifteen_plans() -> None:
    assert len(GALLERY) >= 15


@pytest.mark.parametrize(("question", "body", "said"), GALLERY, ids=[question for question, _, _ in GALLERY])
def test_a_plan_of_the_gallery_can_be_run_and_reads_back_as_printed(question: str, body: str, said: str) -> None:
    plan = parse_plan({"version": PLAN_VERSION, **json.loads(body)})
    assert read_back(plan) == said, question
    assert compile_plan(plan).compose("duckdb").sql


def test_every_certainty_is_on_the_page() -> None:
    words = " ".join(PAGE.split())
    assert [each for each in CERTAINTIES if each not in words] == []
