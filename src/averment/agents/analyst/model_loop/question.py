"""Asking back with a model: its question is shown as a model's, with readings to choose, each with what it gives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from averment.agents.analyst.meaning import PREVIEW_ROWS
from averment.agents.analyst.model_loop.witness import ReadingOutcome, same_result
from averment.runtime.decisions import Planned

if TYPE_CHECKING:
    from averment.agents.analyst.model_loop.forms import Step
    from averment.agents.analyst.model_loop.submission import CheckedSubmission
    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import KeptOffer, KeptReading

MOST_OFFERS = 4
_NUMBER = re.compile(r"\d[\d.,]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u200b-\u200f\u2028-\u202f]")


def asked_back(
    work: RunContext,
    planned: Planned,
    step: Step | None,
    choices: Sequence[CheckedSubmission],
    witnesses: Sequence[ReadingOutcome],
) -> Planned:
    """The question back: a model's words where it asked, then the readings to choose from."""
    offers = _offers(choices, witnesses)
    lead = _question(work, step) if step is not None else "This can mean more than one thing."
    lines = [f"{n}. {offer['read_back']}" for n, offer in enumerate(offers, start=1)]
    message = "\n".join([lead, *(["Choose the interpretation you mean:", *lines] if lines else [])])
    reading: KeptReading = {
        "offers": offers,
        "left": list(planned.reading.get("left", ())),
        "judged": {"model": True},
    }
    return Planned(outcome="clarification_needed", message=message, reading=reading, reasoner="model")


def _question(work: RunContext, step: Step) -> str:
    """The model's question, visibly the model's; one that holds a number of its own is not repeated."""
    said = " ".join(_CONTROL.sub(" ", step.question_back or "").split())
    if not said or (
        _NUMBER.sub("", said) != said and set(_NUMBER.findall(said)) - set(_NUMBER.findall(work.request.intent))
    ):
        return "A model could not answer this from the data as it is asked."
    return f"A model asks: “{said}”"


def _offers(choices: Sequence[CheckedSubmission], witnesses: Sequence[ReadingOutcome]) -> list[KeptOffer]:
    offers: list[KeptOffer] = []
    for each in choices:
        rows = each.rows or []
        offers.append(
            {
                "read_back": each.said,
                "plan": each.body["plan"] if each.plan is not None else {"sql": _sql(each)},
                "odds": 0.5,
                "columns": list(each.columns),
                "rows": rows[:PREVIEW_ROWS],
                "row_count": len(rows),
            }
        )
    for each in witnesses:
        known = any(same_result(each.rows, offer["rows"]) for offer in offers)
        if each.plan is None or known or (each.left and not each.sure):
            continue
        offers.append(
            {
                "read_back": each.said,
                "plan": each.plan,
                "odds": round(each.odds, 4),
                "columns": list(each.columns),
                "rows": each.rows[:PREVIEW_ROWS],
                "row_count": len(each.rows),
            }
        )
    offered = [offer for offer in offers if offer["plan"] != {"sql": None}][:MOST_OFFERS]
    total = max(1.0, sum(offer["odds"] for offer in offered))
    return [{**offer, "odds": round(offer["odds"] / total, 4)} for offer in offered]


def _sql(checked: CheckedSubmission) -> str | None:
    tasks = checked.body["tasks"]
    return str(tasks[-1]["arguments"]["query"]) if len(tasks) == 1 and tasks[0]["tool"] == "sql.run" else None
