"""Asks finished investigations the questions of ``questions.jsonl`` and says what each answer is worth."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from averment.workbench import Workbench
from tables import BUSINESSES, Business

QUESTIONS = Path(__file__).with_name("questions.jsonl")
DECLINED = "records do not answer that"
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True)
class Answered:
    """A question, its answer, and whether that is right, wrong or declined."""

    asked: dict[str, Any]
    answer: str
    verdict: str


def ask_all(workbench: Workbench, folder: Path) -> list[Answered]:
    """Every question, asked of the investigation it is about."""
    questions = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    found: list[Answered] = []
    for name, make in BUSINESSES.items():
        business = make()
        place = folder / name
        place.mkdir()
        session = workbench.sessions.create().session_id
        for path in business.write(place):
            with path.open("rb") as stream:
                workbench.sessions.add_file(session, stream, path.name)
        given = {
            "metric_sql": business.metric,
            "baseline_period": business.baseline,
            "comparison_period": business.comparison,
        }
        workbench.runs.wait(workbench.sessions.start(session, given))
        for asked in questions:
            if asked["of"] == name:
                answer = workbench.sessions.chat(session, asked["asked"]).content
                found.append(Answered(asked=asked, answer=answer, verdict=verdict_of(business, asked, answer)))
    return found


def verdict_of(business: Business, asked: dict[str, Any], answer: str) -> str:
    """Right: what was asked for is said. Declined: nothing is said. Wrong: anything else."""
    declined = DECLINED in answer
    if asked.get("declines") or declined:
        return "right" if asked.get("declines") and declined else "declined" if declined else "wrong"
    said = [float(number.replace(",", "")) for number in _NUMBER.findall(answer)]
    for name in asked.get("figures", ()):
        figure = business.figure(name)
        if not any(abs(number - figure) <= max(0.006 * abs(figure), 0.051) for number in said):
            return "wrong"
    if "says" in asked and re.search(asked["says"], answer) is None:
        return "wrong"
    return "right"
