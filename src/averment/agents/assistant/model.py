"""Understanding with a model: where the rules are not sure, a model with the same MCP tools says what it would do.

It may look at the tasks. Whatever would change something is only a wish: it must speak of tasks that are there and that
the message names, in the message's own words, and it is asked about before it happens, as everything is that was not
surely understood. When the model fails or makes things up, the rules' reading stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.assistant.dialogue import Shown, shown_line
from averment.agents.assistant.understand import SURE, Heard
from averment.errors import ModelNonsense
from averment.language.references import Listed, resolve
from averment.language.stems import stem
from averment.llm import render, with_fallback
from averment.llm.toolloop import OfferedTool, ToolLoop, Wish, Wished
from averment.tools.mcp_client import Call, LocalClient

if TYPE_CHECKING:
    from averment.llm.call import ModelCall
    from averment.records.chat import Message
    from averment.tools.mcp_client import Offer

UNSURE = 0.89
"""As sure as a model's word alone can be: under the line at which anything is changed unasked."""

TRUSTED = 0.97
"""What the rules heard this surely, no model is asked about."""

MOST_BEFORE = 8
MOST_SAID = 400
"""How many messages before, and how many characters of each, a model is shown."""

LOOKS = frozenset({"list_tasks"})
WISHES = {
    "add_task": "create",
    "update_task": "update",
    "complete_task": "complete",
    "delete_task": "delete",
    "analyze": "analyze",
    "drill": "drill",
    "research": "research",
}
"""The tools a model is offered beside those that look, and what a call of each asks for."""

_ROUTES = frozenset({"analyze", "drill", "research"})
_FIELDS = {
    "add_task": {"title", "description"},
    "update_task": {"task_id", "title", "description"},
    "complete_task": {"task_id"},
    "delete_task": {"task_id"},
}
_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_CLAIMS = re.compile(r"\d|\b(?:added|delet\w*|remov\w*|complet\w*|updat\w*|chang\w*|done|finish\w*|cancel\w*)\b", re.I)
_SMALL = frozenset("the a an my our your of on in at for to about with and or one task tasks item".split())


class ModelListener:
    """Hears with a model what the rules are not sure of."""

    def __init__(
        self,
        loop: Callable[[], ToolLoop],
        client: LocalClient,
        journal: Callable[[str, ModelCall], None] | None = None,
    ) -> None:
        """``loop`` gives a line to the model with a budget of its own, for one message.

        ``journal`` keeps the record of each call, with the key of the turn it was made for.
        """
        self._loop = loop
        self._client = client
        self._journal = journal

    def hear(self, text: str, heard: Heard, *, key: str, before: Sequence[Message] = ()) -> Heard:
        """The rules' reading where it is sure, else the model's under the rails, else the rules' after all.

        ``before`` is what the conversation's own record holds before the message; it reaches the model as data.
        """
        if heard.confidence >= TRUSTED and heard.intent != "other":
            return heard
        codes: list[str] = []
        found = with_fallback(
            lambda: self._wish(text, heard, key, before),
            lambda: heard,
            lambda note: codes.append(note.code),
            purpose="understand",
        )
        return found if not codes else _by(heard, f"{heard.by}, no model: {codes[0]}")

    def _wish(self, text: str, heard: Heard, key: str, before: Sequence[Message]) -> Heard:
        prompt = render("understand_message", message=text, said_before=_said_before(before))
        offered = [_offered(offer) for offer in self._client.offers() if offer.name in LOOKS or offer.name in WISHES]
        loop, journal = self._loop(), self._journal
        if journal is not None:
            loop = loop.heard_by(lambda call: journal(key, call))
        wished = loop.run(system=prompt.system, prompt=prompt.prompt, tools=offered, look=self._look(key))
        return self._heard(wished, text, heard, key)

    def _look(self, key: str) -> Callable[[str, dict[str, Any]], Any]:
        def look(name: str, arguments: dict[str, Any]) -> Any:
            outcome = self._client.call([Call(name, arguments, f"{key}/model")])[0]
            return {"error": outcome.error} if outcome.result is None else outcome.result

        return look

    def _heard(self, wished: Wished, text: str, heard: Heard, key: str) -> Heard:
        if not wished.wishes:
            return _spoken(wished, text, heard)
        tools = {wish.tool_name for wish in wished.wishes}
        tool = wished.wishes[0].tool_name
        if len(tools) > 1 or tool not in WISHES:
            raise ModelNonsense("The model wants several kinds of things at once.")
        intent = WISHES[tool]
        if intent == heard.intent and heard.confidence >= SURE:
            return heard
        if intent in _ROUTES:
            # The question stays the user's own, and so do the files.
            return Heard(intent, UNSURE, text, {}, ((heard.intent, heard.confidence),), "model")
        entities = self._entities(tool, wished.wishes, text, key)
        return Heard(intent, UNSURE, text, entities, ((heard.intent, heard.confidence),), "model")

    def _entities(self, tool: str, wishes: Sequence[Wish], text: str, key: str) -> dict[str, Any]:
        for wish in wishes:
            if not set(wish.arguments) <= _FIELDS[tool]:
                raise ModelNonsense("The model gave the tool what it does not take.")
        _check_words(wishes, text)
        if tool == "add_task":
            titles = [str(wish.arguments.get("title") or "").strip() for wish in wishes]
            if not all(titles):
                raise ModelNonsense("The model named no task.")
            return {"tasks": [{"title": title, "description": None} for title in titles]}
        look = self._look(key)("list_tasks", {})
        ids = _named(wishes, text, [shown_line(task) for task in look.get("data", ())])
        if tool == "update_task":
            new = {name: wishes[0].arguments.get(name) for name in ("title", "description")}
            return {"task_ids": ids[:1], **new}
        return {"task_ids": ids}


def _said_before(messages: Sequence[Message]) -> list[dict[str, str]]:
    """The last messages, each cut to its beginning: enough to see what is spoken of."""
    return [{"by": message.role, "text": message.content[:MOST_SAID]} for message in messages[-MOST_BEFORE:]]


def _offered(offer: Offer) -> OfferedTool:
    return OfferedTool(
        name=offer.name,
        description=offer.description,
        schema=offer.schema,
        looks=offer.name in LOOKS and offer.read_only,
    )


def _spoken(wished: Wished, text: str, heard: Heard) -> Heard:
    """Words alone: said where they claim nothing; where the model only looked, the user sees the list itself."""
    if wished.looks and wished.looks[-1].tool_name == "list_tasks" and _CLAIMS.search(wished.text):
        status = wished.looks[-1].arguments.get("status")
        kept = {"status": status if status in {"pending", "completed"} else None}
        return Heard("list", UNSURE, text, kept, ((heard.intent, heard.confidence),), "model")
    if heard.intent == "other" and wished.text and not _CLAIMS.search(wished.text):
        return Heard("other", UNSURE, text, {}, heard.alternatives, "model", wished.text[:500])
    return _by(heard, f"{heard.by}, asked a model")


def _check_words(wishes: Sequence[Wish], text: str) -> None:
    """Refuse words that the message does not say.

    Raises:
        ModelNonsense: a title or a description has some.
    """
    said = {word.casefold() for word in _WORD.findall(text)}
    for wish in wishes:
        for name in ("title", "description"):
            given = {word.casefold() for word in _WORD.findall(str(wish.arguments.get(name) or ""))}
            if not given <= said:
                raise ModelNonsense("The model spoke of what the message does not say.")


def _named(wishes: Sequence[Wish], text: str, tasks: Sequence[Shown]) -> list[int]:
    """The tasks of the wishes, each of them there and named by the message.

    Raises:
        ModelNonsense: one is not.
    """
    there = {task.task_id: task for task in tasks}
    meant = resolve(text, [Listed(at, task.title) for at, task in enumerate(tasks, start=1)])
    resolved = {tasks[at - 1].task_id for at in meant.positions} if meant.by == "name" else set[int]()
    said = {stem(word.casefold()) for word in _WORD.findall(text)} - _SMALL
    ids: list[int] = []
    for wish in wishes:
        task_id = wish.arguments.get("task_id")
        if not isinstance(task_id, int) or isinstance(task_id, bool) or task_id not in there:
            raise ModelNonsense("The model named a task that is not there.")
        words = {stem(word.casefold()) for word in _WORD.findall(there[task_id].title)} - _SMALL
        if task_id not in resolved and not words & said:
            raise ModelNonsense("The model named a task that the message does not.")
        ids.append(task_id)
    return list(dict.fromkeys(ids))


def _by(heard: Heard, by: str) -> Heard:
    return Heard(heard.intent, heard.confidence, heard.text, heard.entities, heard.alternatives, by, heard.words)
