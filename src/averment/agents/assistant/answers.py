"""What a message means while a question is open: a yes, a no, a choice, a part of it, or something else."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from averment.agents.assistant.decision import Decision
from averment.agents.assistant.offers import reading_meant
from averment.agents.assistant.plan import chosen, plan
from averment.agents.assistant.pointing import point
from averment.agents.assistant.reading.act import Act
from averment.agents.assistant.reading.message import MessageReading
from averment.agents.assistant.reading.when import value_of
from averment.agents.assistant.reading.yes_no import verdict_of
from averment.agents.assistant.scene import ActScene, act_of
from averment.language.references.resolve import ListedItem, resolve
from averment.language.word_lists import patterns

if TYPE_CHECKING:
    from averment.store.chat.questions import PendingQuestion

_ONE = re.compile(r"\b(?:one task|just one|only one|single|together|as it is|as is|one)\b", re.IGNORECASE)
_PATTERNS = patterns("answers", "averment.agents.assistant")
_SEVERAL = re.compile(_PATTERNS["several"], re.IGNORECASE)
_EVERY = re.compile(_PATTERNS["every"], re.IGNORECASE)
_BUT = re.compile(r"^(?:but|except|just|only|and|apart from|though)\b[\s,]*", re.IGNORECASE)
_KEEP = re.compile(_PATTERNS["keep"], re.IGNORECASE)
_ONLY = re.compile(r"^(?:just|only)\s+(?P<in>.+?)[.!]*$", re.IGNORECASE)
_KEPT_AS_IT_IS = Decision("say", words="All right, nothing was changed.")


@dataclass(frozen=True, slots=True)
class UserAnswer:
    """The answer as it is kept with the question, and what is done about it; ``open`` where the question stays."""

    value: Any
    decision: Decision
    stays: bool = False


def answer_to(waiting: PendingQuestion, said: str, reading: MessageReading, scene: ActScene) -> UserAnswer | None:
    """What the words answer; None when they speak of something else."""
    found = verdict_of(said)
    if found.verdict == "wait" and not found.rest:
        return UserAnswer(None, _repeated(waiting, "Take your time."), stays=True)
    if waiting.kind == "choose":
        return _choice(waiting, said, found.verdict if not found.rest else None, scene)
    if not found.rest and found.verdict == "yes":
        return _agreed(waiting)
    if not found.rest and found.verdict == "no":
        return UserAnswer(False, _KEPT_AS_IT_IS)
    if found.verdict == "yes":
        return _yes_and(waiting, found.rest, reading, scene)
    if len(reading.acts) == 1 and reading.acts[0].verb == "undo":
        return UserAnswer(False, _KEPT_AS_IT_IS)  # What was only asked about is closed; what was done before it stays.
    if _insists(waiting, reading, scene):
        return _agreed(waiting)
    return _instead(waiting, found.rest if found.verdict == "no" else said, reading, scene)


def _agreed(waiting: PendingQuestion) -> UserAnswer:
    calls = tuple({**call, "question": waiting.question_id} for call in waiting.body["calls"])
    more = {name: waiting.body[name] for name in ("act", "then_list", "says") if name in waiting.body}
    return UserAnswer(True, Decision("call", calls=calls, focus=tuple(waiting.body["focus"]), more=more))


def _yes_and(waiting: PendingQuestion, rest: str, reading: MessageReading, scene: ActScene) -> UserAnswer | None:
    """A yes that goes on: "yes, delete them", "yes, but keep the milk", "yes and add bread"."""
    part = _in_part(waiting, rest, scene)
    if part is not None:
        return part
    asked = waiting.body.get("act")
    acts = [act for act in reading.acts if not (asked and act.verb == asked["verb"])]
    if acts and not any(act.negated for act in acts):
        more = plan(acts, scene)
        if more is None or more.kind != "call":
            return None if more is not None else _agreed(waiting)
        agreed = _agreed(waiting)
        both = replace(
            agreed.decision, calls=(*agreed.decision.calls, *more.calls), more={**agreed.decision.more, **more.more}
        )
        return UserAnswer(True, both)
    named = point(rest, "look", scene.dialogue, scene.tasks, scene.now)
    others = (
        {task.task_id for task in named.tasks} - set(waiting.body["focus"])
        if named.outcome in {"tasks", "choose"}
        else set[int]()
    )
    if others or _BUT.match(rest) or re.search(r"\b(?:not|n't|except|but|keep|wait|first|if)\b", rest, re.IGNORECASE):
        return UserAnswer(None, _repeated(waiting, ""), stays=True)
    return _agreed(waiting)


def _in_part(waiting: PendingQuestion, rest: str, scene: ActScene) -> UserAnswer | None:
    """The same act on some of the tasks only, asked anew by their names."""
    asked, focus = waiting.body.get("act"), list(waiting.body["focus"])
    if asked is None or len(focus) < 2:
        return None
    meant = [task for task in scene.tasks if task.task_id in focus]
    plain = rest
    for _ in range(2):
        keep, only = _KEEP.match(plain), _ONLY.match(plain)
        words = keep.group("out") if keep else only.group("in") if only else None
        if words is not None:
            named = point(words, "look", scene.dialogue, meant, scene.now)
            if named.outcome != "tasks":
                return None
            ids = {task.task_id for task in named.tasks}
            left = [task for task in meant if (task.task_id in ids) == (keep is None)]
            if not left:
                return UserAnswer(False, _KEPT_AS_IT_IS)
            decision = chosen(asked, [_option(task) for task in left], scene)
            return UserAnswer(False, decision)
        plain = _BUT.sub("", plain)
    return None


def _option(task: Any) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(task)


def _insists(waiting: PendingQuestion, reading: MessageReading, scene: ActScene) -> bool:
    """Whether the very act that was asked about is said again: "I said delete it"."""
    asked = waiting.body.get("act")
    if asked is None or len(reading.acts) != 1 or not reading.takes_back or reading.acts[0].negated:
        return False
    act = reading.acts[0]
    if act.verb != asked["verb"]:
        return False
    if re.fullmatch(r"it|that|them|this|those|that one|all of them", act.target, re.IGNORECASE):
        return True
    named = point(act.target, act.verb, scene.dialogue, scene.tasks, scene.now)
    return {task.task_id for task in named.tasks} == set(waiting.body["focus"]) and named.outcome == "tasks"


def _instead(waiting: PendingQuestion, said: str, reading: MessageReading, scene: ActScene) -> UserAnswer | None:
    """The same act on another task: "no, the dentist one"; or only the words that were asked about, changed."""
    asked = waiting.body.get("act")
    part = _in_part(waiting, said, scene)
    if part is not None:
        return part
    if reading.acts or asked is None or reading.is_question or asked["verb"] == "add":
        return None
    words = reading.meant or (said if verdict_of(said).verdict is None or reading.takes_back else None)
    if words is None or len(words.split()) > 8:
        return None
    focus = [task for task in scene.tasks if task.task_id in waiting.body["focus"]]
    if asked["verb"] == "update" and len(focus) == 1 and value_of(words, scene.wall, due=focus[0].due):
        # Another time for the very change that was asked about: "actually Wednesday".
        changed = plan([Act("update", focus[0].title, wanted={"value": words})], scene)
        return None if changed is None else UserAnswer(False, changed)
    named = point(words, str(asked["verb"]), scene.dialogue, scene.tasks, scene.now)
    if named.outcome not in {"tasks", "choose"} or named.unseen:
        return None
    decision = plan([act_of(asked, words)], scene)
    return None if decision is None else UserAnswer(False, decision)


def _choice(waiting: PendingQuestion, said: str, verdict: str | None, scene: ActScene) -> UserAnswer | None:
    options = waiting.body["options"]
    if verdict == "no":
        return UserAnswer(None, _KEPT_AS_IT_IS)
    if "run" in options[0]:
        return _taken_reading(waiting, said, verdict)
    if "calls" in options[0]:
        return _taken_calls(waiting, said)
    if _EVERY.match(said.strip()) and not re.match(r"(?:either|any)\b", said.strip(), re.IGNORECASE):
        return _chosen(waiting, options, scene)
    found = resolve(said, [ListedItem(at, str(option["title"])) for at, option in enumerate(options, start=1)])
    if found.outcome == "resolved":
        return _chosen(waiting, [options[at - 1] for at in found.positions], scene)
    return None


def _taken_calls(waiting: PendingQuestion, said: str) -> UserAnswer | None:
    options = waiting.body["options"]
    found = resolve(said, [ListedItem(at, str(option["title"])) for at, option in enumerate(options, start=1)])
    at = found.positions[0] - 1 if found.outcome == "resolved" and len(found.positions) == 1 else None
    if at is None or not re.search(r"\d|first|second|last", said):
        at = 1 if _SEVERAL.search(said) else 0 if _ONE.search(said) else at
    if at is None:
        return None
    option = options[at]
    return UserAnswer(option, Decision("call", calls=tuple(option["calls"])))


def _taken_reading(waiting: PendingQuestion, words: str, verdict: str | None) -> UserAnswer | None:
    """A reading that a run offered, chosen; a yes to several is asked which."""
    options = waiting.body["options"]
    at = reading_meant(options, words, agrees=verdict == "yes")
    if at is None:
        return UserAnswer(None, _repeated(waiting, "Which one?"), stays=True) if verdict == "yes" else None
    return UserAnswer(options[at], Decision("route", more={"tool": "choose", **options[at]["run"]}))


def _chosen(waiting: PendingQuestion, options: list[dict[str, Any]], scene: ActScene) -> UserAnswer:
    """What follows from a choice: what was asked for on the tasks it names, with the rest of its plan."""
    decision = chosen(waiting.body["act"], options, scene)
    rest: tuple[dict[str, Any], ...] = tuple(waiting.body.get("rest", ()))
    if rest and decision.kind in {"call", "confirm"}:
        decision = replace(decision, calls=(*rest, *decision.calls))
    return UserAnswer(options[0] if len(options) == 1 else options, decision)


def _repeated(waiting: PendingQuestion, before: str) -> Decision:
    """The question once more; it stays open."""
    return Decision("say", words=f"{before} {still_asked(waiting)}".strip(), more={"asked": waiting.kind})


def still_asked(waiting: PendingQuestion) -> str:
    """The open question in words."""
    words = str(waiting.body["words"])
    if waiting.kind == "choose":
        lines = "\n".join(f"{at}. {option['title']}" for at, option in enumerate(waiting.body["options"], start=1))
        return f"{words}\n{lines}"
    return f"{words} (yes or no)"
