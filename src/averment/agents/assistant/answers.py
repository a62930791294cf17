"""What an answer to an open question asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.agents.assistant.decide import Decision, choice_made
from averment.agents.assistant.understand import yes_or_no
from averment.language.references import Listed, resolve

if TYPE_CHECKING:
    from averment.store.questions import Question

_ONE = re.compile(r"\b(?:one task|just one|only one|single|together|as it is|as is)\b", re.IGNORECASE)
_SEVERAL = re.compile(
    r"\b(?:separate(?:ly)?|several|apart|split|(?:two|three|four|[2-9]) tasks|both|each|individually)\b", re.IGNORECASE
)
_KEPT_AS_IT_IS = Decision("say", words="All right, nothing was changed.")


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer as it is kept with the question, and what is done about it."""

    value: Any
    decision: Decision


def answer_to(waiting: Question, said: str) -> Answer | None:
    """What the words answer; None when they speak of something else."""
    yes = yes_or_no(said)
    if waiting.kind == "confirm":
        if yes is None:
            return None
        if not yes:
            return Answer(False, _KEPT_AS_IT_IS)
        calls = tuple({**call, "question": waiting.question_id} for call in waiting.body["calls"])
        return Answer(True, Decision("call", calls=calls, focus=tuple(waiting.body["focus"])))
    if yes is False:
        return Answer(None, _KEPT_AS_IT_IS)
    options = waiting.body["options"]
    counted = _counted(said) if "calls" in options[0] else None
    if counted is not None:
        return _taken(waiting, options[counted])
    found = resolve(said, [Listed(at, str(option["title"])) for at, option in enumerate(options, start=1)])
    if found.outcome != "resolved" or len(found.positions) != 1:
        return None
    return _taken(waiting, options[found.positions[0] - 1])


def _taken(waiting: Question, chosen: dict[str, Any]) -> Answer:
    """What follows from a choice: the calls it stands for, or what was asked for on the task it names."""
    if "calls" in chosen:
        return Answer(chosen, Decision("call", calls=tuple(chosen["calls"])))
    return Answer(chosen, choice_made(waiting.body["heard"], chosen))


def _counted(said: str) -> int | None:
    """Which of one and several the words ask for."""
    if _SEVERAL.search(said):
        return 1
    return 0 if _ONE.search(said) else None
