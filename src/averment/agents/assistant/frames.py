"""What the assistant may say: a closed list of frame sentences around tasks, the user's own words and what tools gave.

A decision's words are checked when it is made, a reply when it is given. What a run says comes word for word from its
tool; what a model says stands behind words that call it that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.assistant.decide import MODEL_SAYS, OFFERED_ACTS, SMALL_TALK
from averment.agents.assistant.decision import Decision
from averment.agents.assistant.replies import mark_lines
from averment.agents.assistant.run_rows import as_text
from averment.agents.assistant.steps import fields_said
from averment.agents.assistant.wording import fields_of
from averment.claims.frames import AllowedSentences, Frame, Frames, Texts
from averment.records.json_texts import texts_in

if TYPE_CHECKING:
    from averment.agents.assistant.dialogue import ShownItem
    from averment.agents.assistant.scene import ActScene
    from averment.store.chat.questions import PendingQuestion
    from averment.tools.local_calls import Outcome

UNWORDED = "That was carried out, but I have no checked words for it. Say 'show my tasks' to see what's current."
"""What is said in place of a reply that says what nothing bears out."""
_CURRENT = "Try 'show my tasks' to see what's current."
_DOES = ("delete {names}", "mark {names} as completed", "reopen {names}", "add {names} to your tasks")
_CHANGES = ("change {quoted} to {quoted}", "change {quoted}: {fields}", "change {names&} so that it no longer rings")
_DEEDS = tuple(Frame(each) for each in (*(each.replace("{names}", "{names&}") for each in _DOES), *_CHANGES))

DECIDED = tuple(
    map(
        Frame,
        (
            *SMALL_TALK.values(),
            MODEL_SAYS + "{remark}",
            "All right, nothing was changed.",
            "All right, I won't. Nothing was changed.",
            "All right. Say 'undo' to take back what I did last.",
            "Take your time.",
            "Which one?",
            "Please ask that as a whole question.",
            "Nothing was changed.",
            "I'm not sure what you'd like me to do.",
            "Did you want to {wish}?",
            "Did you want to {wish}, or {wish}?",
            "Did you want to {wish}, or {wish}, or {wish}?",
            "Say 'help' to see what I can do.",
            "Shall I take your last change back? Then say 'undo'.",
            "Shall I take that back? Then say 'undo'.",
            "Which file should I look at? Attach it and ask again.",
            "What should the task say?",
            "What should {quoted} say instead?",
            "How many tasks is that?",
            "I can't wait for that or look it up, so nothing was changed. Tell me when it has happened.",
            "'{said}' {state}, so I left that as it is.",
            "{quoted&} {stays}",
            "There is no task {number*} in the list of {number}.",
            "You have no tasks yet.",
            "You have no {kind}tasks.",
            "I'm not sure which task you mean.",
            "I'm not sure which task you mean by '{said}'.",
            "I found {number} tasks that fit.",
            "I found {number} tasks. Which one did you mean?",
            "I found {number} tasks about {word}. Which one did you mean?",
            "{quoted} is {fields}.",
            "{quoted} has no due date.",
            "Note: {note}",
            "It has no note.",
            "I couldn't find task {number}. It may have been deleted.",
            "{quoted} has changed since you saw the list.",
            "A task's title has at most {number} characters, and this one has {number}. Nothing was added; please say "
            "it shorter.",
            _CURRENT,
            "Shall I {deeds&}?",
            "Shall I take the last change back, {deeds&}?",
            "{deed}?",
            "{asked}",
            "{asked} (yes or no)",
            "Still open: {asked}",
            "Still open: {asked} (yes or no)",
            "{number}. {option}",
        ),
    )
)
"""What a decision says of itself: talk, questions, and what was not done."""

REPLIED = tuple(
    map(
        Frame,
        (
            "I've added {quoted&} to your tasks. You got this!",
            "I've added {quoted&} to your tasks, {fields}. You got this!",
            "I've added {quoted&} to your tasks ({dated+}). You got this!",
            "Great! I've marked {quoted&} as completed ✓",
            "I've reopened {quoted&}.",
            "I've deleted {quoted&}. Say 'undo' to bring {them} back.",
            "I've taken that back: {quoted&}.",
            "I've taken that back.",
            "There is nothing to undo.",
            "Done: {quoted&}.",
            "Done: it.",
            "{quoted} is now {quoted}.",
            "The note on {quoted} is now: {note}.",
            "{quoted} now has no {gone}.",
            "{quoted} is now {fields}.",
            "Say 'undo' to change it back.",
            "You have no {kind}tasks{tail}.",
            "You have {number} {kind}task{tail}:",
            "You have {number} {kind}tasks{tail}:",
            "You have no tasks{tail}.",
            "You have {number} task{tail}:",
            "You have {number} tasks{tail}:",
            "You have no {kind}tasks.",
            "You have no tasks.",
            "You have {number} {kind}task:",
            "You have {number} {kind}tasks:",
            "You have {number} task:",
            "You have {number} tasks:",
            "Here are your tasks:",
            "{number}. {listed}",
            "{number}. {listed} ✓",
            "I compared {days} with {days}.",
            "I asked: '{question}'",
            "I have not looked at this yet: '{question}'",
            "{answer}",
            "{row}",
            "Chart: {chart*}",
            "{mark}",
            "[run {run}]",
            "[{places}]",
            "But then: {reason}",
            "{reason}",
            "{decided}",
        ),
    )
)
"""What a reply says of what was done, and around what a run said."""

_STATES = ("is on your list", "is open", "is done", "is not on your list", "is not open", "is not done")
_STAYS = (
    *("is completed already.", "are completed already.", "is still open; nothing was changed.", "stays open."),
    *("are still open; nothing was changed.",),
)
_KINDS = ("urgent ", "high ", "medium ", "low ", "open ", "completed ", "pending ")
_GONE = ("due date", "note", "priority", "repeat")


def check_decision(decision: Decision, scene: ActScene, said: str, waiting: PendingQuestion | None) -> None:
    """Pass a decision's words through the gate.

    Raises:
        UntrueClaim: it says what no frame says.
    """
    spoken = [decision.words, *(str(decision.more.get(name) or "") for name in ("says", "still", "otherwise"))]
    asked = () if waiting is None else (str(waiting.body["words"]),)
    options = [*decision.options, *(() if waiting is None else waiting.body["options"])]
    lists = [*scene.tasks, *scene.dialogue.shown]
    titles = {task.title for task in lists} | {str(option["title"]) for option in options if "title" in option}
    titles |= set(texts_in([call.get("parameters") for call in decision.calls])) | set(
        texts_in(decision.more.get("act"))
    )
    facts = [fields_of(_fields(task)) for task in lists]
    facts += [fields_said(call["parameters"]) for call in decision.calls if call["tool"] == "update_task"]
    facts += [fields_said(_changed_to(call["parameters"])) for call in decision.calls if call["tool"] == "update_task"]
    known = _folded(said)
    quoted = [f"'{title}'" for title in titles]
    allowed: dict[str, Texts] = {
        **_shared(quoted),
        "said": lambda text: _folded(text) in known or text in titles,
        "word": lambda text: _folded(text).removesuffix("s") in known,
        "remark": lambda text: bool(text),
        "fields": [each for fact in facts for each in _with_state(fact)],
        "note": [task.description for task in lists if task.description],
        "asked": asked,
        "option": [str(option["title"]) for option in options if "title" in option],
        **_deeds(quoted, [fact for fact in facts if fact]),
    }
    told = AllowedSentences((), DECIDED, allowed)
    told.check(("decision", line) for words in spoken for line in words.split("\n"))


def check_reply(words: str, decision: Decision, outcomes: Sequence[Outcome], asking: Decision | None = None) -> None:
    """Pass a reply through the gate; ``asking`` is the question that a run leaves open.

    Raises:
        UntrueClaim: it says what neither a frame, nor the decision, nor a tool's result says.
    """
    results = [outcome.result or {} for outcome in outcomes]
    tasks = [task for result in results for task in _tasks_in(result.get("data"))]
    titles = {str(task["title"]) for task in tasks} | set(texts_in([call.get("old") for call in decision.calls]))
    facts = [fact for task in tasks if (fact := fields_of(task))]
    given = [{name: task.get(name) for name in ("due", "priority", "repeat")} for task in tasks]
    facts += [fact for one in given for name in one if (fact := fields_of({name: one[name]}))]
    spoken = [decision.words, *(str(decision.more.get(name) or "") for name in ("says", "still", "otherwise"))]
    offered = [*decision.options] if asking is None else [*asking.options]
    spoken += [] if asking is None else [asking.words]
    options = [f"{at}. {option['title']}" for at, option in enumerate(offered, start=1) if "title" in option]
    reasons = [str(outcome.error) for outcome in outcomes if outcome.error is not None]
    about = decision.more.get("about") or (decision.more.get("then_list") or {}).get("about")
    allowed: dict[str, Texts] = {
        **_shared([f"'{title}'" for title in titles]),
        "fields": facts,
        "dated": [f"'{task['title']}' {fields_of(task)}" for task in tasks],
        "them": ["it", "them"],
        "note": [str(task["description"]) for task in tasks if task.get("description")],
        "gone": [*_GONE, *(f"{one} and no {other}" for one in _GONE for other in _GONE)],
        "tail": [" due then", " without a due date", *([f" about '{about}'"] if about else [])],
        "listed": [f"{task['title']} ({fields_of(task)})" if fields_of(task) else str(task["title"]) for task in tasks],
        "days": [" to ".join(map(str, days)) for result in results for days in result.get("compared") or ()],
        "answer": [line.strip() for result in results for line in str(result.get("answer", "")).split("\n")],
        "question": [str(decision.more.get("asked_as") or ""), *map(str, decision.more.get("then_ask") or ())],
        "row": [line for result in results for line in _rows_told(result)],
        "chart": [str(name) for result in results for name in result.get("charts") or ()],
        "run": [str(result["run_id"])[:8] for result in results if result.get("run_id")],
        "mark": [line for result in results for line in mark_lines(result)],
        "places": list(_places(results)),
        "reason": [text for error in reasons for text in (error, error.partition(": ")[2]) if text],
        "decided": [line.strip() for text in spoken for line in text.split("\n")] + options,
    }
    AllowedSentences((), REPLIED, allowed).check(("reply", line) for line in words.split("\n"))


def _shared(quoted: Iterable[str]) -> dict[str, Texts]:
    return {
        "quoted": list(quoted),
        "number": lambda text: text.isdigit(),
        "kind": [*_KINDS, *(f"{one}{other}" for one in _KINDS for other in _KINDS)],
        "state": _STATES,
        "stays": _STAYS,
        "wish": list(OFFERED_ACTS.values()),
    }


def _deeds(quoted: Sequence[str], fields: Sequence[str]) -> dict[str, Texts]:
    """What may be asked about: an act on named tasks, as a question begins or goes on."""
    allowed: dict[str, Texts] = {"names": list(quoted), "quoted": list(quoted), "fields": list(fields)}
    frames = Frames(_DEEDS, allowed)

    def is_deed(text: str) -> bool:
        small = f"{text[:1].lower()}{text[1:]}"
        return any(reader.pattern.fullmatch(small) for reader in frames.readers(small, 0))

    def are_deeds(text: str) -> bool:
        if is_deed(text):
            return True
        cuts = list(re.finditer(r", | and ", text))
        return any(is_deed(text[: cut.start()]) and are_deeds(text[cut.end() :]) for cut in cuts)

    return {"deed": is_deed, "deeds": are_deeds}


def _with_state(fact: str) -> Iterator[str]:
    for state in ("done", "still open"):
        yield state
        if fact:
            yield f"{state}, {fact}"
    if fact:
        yield fact
        yield from fact.split(", ")


def _fields(task: ShownItem) -> dict[str, Any]:
    return {"due": task.due, "priority": task.priority, "repeat": task.repeat}


def _changed_to(parameters: Mapping[str, Any]) -> dict[str, Any]:
    cleared = {str(name): None for name in parameters.get("clear") or ()}
    return {**{name: value for name, value in parameters.items() if name not in {"task_id", "clear"}}, **cleared}


def _rows_told(result: Mapping[str, Any]) -> list[str]:
    rows, total = result.get("rows") or [], int(result.get("row_count") or 0)
    if total <= 1:
        return []
    return as_text(result["columns"], rows, total).split("\n")


def _places(results: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for result in results:
        named = [f"run {str(result['run_id'])[:8]}"] if result.get("run_id") else []
        yield "; ".join([*named, *(str(each) for each in result.get("references") or ())])


def _tasks_in(data: Any) -> list[dict[str, Any]]:
    found = data if isinstance(data, list) else [data]
    return [one for one in found if isinstance(one, dict) and "title" in one]


def _folded(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s]", " ", text.casefold()).split())
