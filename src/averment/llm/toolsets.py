"""Tools that a model may call: each a form with a name, offered natively where a provider knows tools, else as JSON.

An answer is one call. One that names no tool is a call of the tool whose own field it holds; one whose arguments name
another tool of the set is a call of that one, since servers that know one tool alone are answered so.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Annotated, Any, ClassVar, cast

from pydantic import BaseModel, ConfigDict, Field, RootModel, create_model, model_validator

ANSWER = "answer"
"""What the one tool is called of an answer that is no call among several."""


class Form(BaseModel, frozen=True):
    """What a model fills in; keys it adds of its own are passed over."""

    model_config = ConfigDict(extra="ignore")


class ToolCall(Form, frozen=True):
    """A call of a tool; the docstring of a class is what a model is told that the tool does."""

    OWN: ClassVar[tuple[str, ...]] = ()
    """The fields that tell an answer without a name to be a call of this tool."""

    tool: str
    thoughts: str = Field(default="", max_length=20_000)

    def given(self) -> dict[str, Any]:
        """The call without its thoughts, for the record and for the model's next step."""
        body = self.model_dump(mode="json", exclude={"thoughts"})
        return {name: value for name, value in body.items() if value not in (None, "", [], {}) or name == "tool"}


class ToolAnswer(RootModel[Any]):
    """One call of one of several tools."""

    TOOLS: ClassVar[dict[str, type[ToolCall]]] = {}
    ELSE: ClassVar[str] = ""

    @property
    def call(self) -> ToolCall:
        """The call itself."""
        return self.root

    @model_validator(mode="before")
    @classmethod
    def _names_its_tool(cls, body: Any) -> Any:
        if not isinstance(body, dict) or body.get("tool"):
            return body
        named = (name for name, call in cls.TOOLS.items() if any(body.get(field) for field in call.OWN))
        name = next(named, cls.ELSE)
        return {**body, "tool": name} if name else body


def one_of(*tools: type[ToolCall], otherwise: str = "") -> type[ToolAnswer]:
    """The form of an answer that calls one of the tools; ``otherwise`` names the one that an empty answer calls."""
    named = {str(tool.model_fields["tool"].default): tool for tool in tools}
    union: Any = reduce(or_, tools)
    root: Any = Annotated[union, Field(discriminator="tool")] if len(tools) > 1 else union
    made = create_model("ToolAnswer", __base__=ToolAnswer, root=(root, ...))
    made.TOOLS, made.ELSE = named, otherwise
    return made


@dataclass(frozen=True, kw_only=True)
class OfferedTool:
    """A tool as a provider is told of it."""

    name: str
    description: str
    schema: dict[str, Any]


def offered_tools(form: type[BaseModel]) -> tuple[OfferedTool, ...]:
    """The tools of a form: those of a set, or the one that gives the answer."""
    if not issubclass(form, ToolAnswer):
        schema = compact_schema(form.model_json_schema())
        return (OfferedTool(name=ANSWER, description="Give the answer in this form.", schema=schema),)
    return tuple(
        OfferedTool(name=name, description=" ".join((tool.__doc__ or "").split()), schema=_arguments(tool))
        for name, tool in form.TOOLS.items()
    )


def in_words(tools: tuple[OfferedTool, ...]) -> str:
    """The same tools for a model whose provider knows none: what its JSON has to look like."""
    if [tool.name for tool in tools] == [ANSWER]:
        return f"Answer with one JSON object of this schema and nothing else:\n{json.dumps(tools[0].schema)}"
    lines = [f"- {tool.name}: {tool.description} {json.dumps(tool.schema)}" for tool in tools]
    return "Answer with one JSON object and nothing else: a tool's arguments, its name in tool.\n" + "\n".join(lines)


def as_answer(tools: tuple[OfferedTool, ...], name: str, arguments: str | dict[str, Any] | None) -> str:
    """A provider's call of a tool as the JSON that its form reads."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    if name == ANSWER or name not in {tool.name for tool in tools}:
        return text
    try:
        body = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return text
    return json.dumps({"tool": name, **cast("dict[str, Any]", body)}) if isinstance(body, dict) else text


def _arguments(tool: type[ToolCall]) -> dict[str, Any]:
    """What a tool takes; only one that does more than look has room for thoughts."""
    schema = _in_place(compact_schema(tool.model_json_schema()))
    left = {"tool"} if tool.OWN else {"tool", "thoughts"}
    return {**schema, "properties": {name: part for name, part in schema["properties"].items() if name not in left}}


def _in_place(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema with its parts where they are used; the forms of calls hold no part within itself."""
    parts: dict[str, Any] = schema.pop("$defs", {})

    def placed(value: Any) -> Any:
        if isinstance(value, list):
            return [placed(each) for each in cast("list[Any]", value)]
        if not isinstance(value, dict):
            return value
        body = cast("dict[str, Any]", value)
        name = str(body.get("$ref", "")).removeprefix("#/$defs/")
        return placed(parts[name]) if name in parts else {key: placed(each) for key, each in body.items()}

    return placed(schema)


_UNTOLD = frozenset("title default maxLength minLength maxItems minItems pattern additionalProperties".split())


def compact_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema without what a model needs no telling of: titles, defaults, lengths, the null of what is left out."""
    required = set(schema.get("required", ()))
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key in {"properties", "$defs"}:
            made[key] = {name: compact_schema(_there(part, name in required)) for name, part in value.items()}
        elif key not in _UNTOLD and (key != "description" or "properties" not in schema):
            made[key] = compact_schema(value) if isinstance(value, dict) else value
    return made


def _there(part: dict[str, Any], is_required: bool) -> dict[str, Any]:
    choices = part.get("anyOf", [])
    if is_required or len(choices) != 2 or {"type": "null"} not in choices:
        return part
    present = next(choice for choice in choices if choice != {"type": "null"})
    return {**{key: value for key, value in part.items() if key != "anyOf"}, **present}
