"""Prompt templates: text files of this package, filled with data that stays data.

A template is what the model is told to do (the system part, which takes no values), a line ``---``, and the question
with its places ``<<name>>``. Every value is fenced, without exception: there is no way to put text in unfenced.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from averment.errors import InvalidArguments
from averment.llm.prompts.fence import fence

SEPARATOR = "\n---\n"
_PLACE = re.compile(r"<<([a-z][a-z0-9_]*)>>")
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """What a model is told: standing instructions, and the question with its fenced data."""

    system: str
    prompt: str


@dataclass(frozen=True)
class _Template:
    system: str
    question: str
    places: frozenset[str]


def render(name: str, **values: object) -> Prompt:
    """The template of that name with each place filled by its fenced value.

    Values are JSON values or Pydantic models. The same values always give the same bytes.

    Raises:
        InvalidArguments: there is no such template, a value is missing or unknown to it, or a value is not JSON.
    """
    template = _load(name)
    missing, unknown = sorted(template.places - values.keys()), sorted(values.keys() - template.places)
    if missing or unknown:
        raise InvalidArguments(
            f"The values do not match the prompt template {name}.",
            hint="Give exactly the values that the template names.",
            details={"missing": missing, "unknown": unknown},
        )
    fenced = {place: fence(place, value) for place, value in values.items()}
    # One pass over the template alone: a place written inside a value is never looked at.
    return Prompt(system=template.system, prompt=_PLACE.sub(lambda place: fenced[place.group(1)], template.question))


def template_names() -> list[str]:
    """The names of all templates."""
    files = (entry.name for entry in resources.files(__name__).iterdir())
    return sorted(file.removesuffix(".txt") for file in files if file.endswith(".txt") and file != "data_rule.txt")


@cache
def _load(name: str) -> _Template:
    if _NAME.fullmatch(name) is None or name not in template_names():
        raise InvalidArguments(f"There is no prompt template {name!r}.", hint=f"Templates: {template_names()}")
    system, separator, question = _read(name).partition(SEPARATOR)
    if not separator or _PLACE.search(system):
        raise InvalidArguments(f"The prompt template {name} must have two parts, and the first takes no values.")
    return _Template(
        system=f"{system.strip()}\n\n{_read('data_rule').strip()}",
        question=question.strip(),
        places=frozenset(_PLACE.findall(question)),
    )


def _read(name: str) -> str:
    return resources.files(__name__).joinpath(f"{name}.txt").read_text(encoding="utf-8")
