"""Recorded exchanges: a run made with a model can be run again without it, from a tape that may be a file.

An exchange is known by its purpose, the hash of all that the model was told, and how often that very question came up
before. Failures are recorded too, so that a replay falls back to the rules where the run did. A tape of a file that
exists is the model: nobody is called, and the same question over the same data gives the same bytes. A tape that does
not exist yet is written, each exchange before it is handed on.
"""

from __future__ import annotations

import json
import os
import threading
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar, Unpack, runtime_checkable

from pydantic import BaseModel, TypeAdapter, ValidationError

from averment.errors import (
    InvalidSettings,
    ModelBudgetExceeded,
    ModelError,
    ModelNonsense,
    ModelTimeout,
    ModelUnavailable,
    VerificationFailed,
)
from averment.llm.call import WORDS, Journal, ModelCall, hash_prompt, hash_text
from averment.llm.client import OUTCOMES, JournaledProposer, ModelClient, ProposalArguments, Proposer
from averment.llm.provider import choose
from averment.records.base import Record, utc_now
from averment.settings import Settings

T = TypeVar("T", bound=BaseModel)

FROM_TAPE = "recorded"
"""The provider and model of an answer that was kept: the tape does not say whose it was."""

RECORDED_ERRORS: dict[str, type[ModelError]] = {
    kind.code: kind for kind in (ModelError, ModelUnavailable, ModelTimeout, ModelNonsense, ModelBudgetExceeded)
}


class Exchange(Record):
    """One proposal as it was made: its JSON, or the code of the error in its place; and the calls it took."""

    outcome: str
    answer: str | None = None
    calls: tuple[ModelCall, ...] = ()


_TAPE: TypeAdapter[dict[str, Exchange]] = TypeAdapter(dict[str, Exchange])


def read_tape(tape: Mapping[str, Any]) -> dict[str, Exchange]:
    """The exchanges of a stored tape.

    Raises:
        VerificationFailed: it is not what a Recorder writes.
    """
    try:
        return _TAPE.validate_python(dict(tape))
    except ValidationError as error:
        raise VerificationFailed(
            "The recorded exchanges of the run cannot be read.", details={"faults": error.error_count()}
        ) from None


class Recorder(JournaledProposer):
    """Proposes what another proposes, and keeps each exchange; where a file is named, on the tape before it is told.

    A recorder that starts from a tape answers from it first, so that a resumed run does not ask (or pay) twice.
    """

    def __init__(
        self,
        proposer: Proposer | None,
        tape: Mapping[str, Any] | None = None,
        journal: Journal | None = None,
        *,
        file: Path | None = None,
        today: str = "",
    ) -> None:
        self._proposer = proposer
        self._journal = journal
        self._file, self._today = file, today
        self._exchanges = read_tape(tape or {})
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def tape(self) -> dict[str, Any]:
        """All exchanges so far as plain JSON values, in the order of their keys."""
        with self._lock:
            return {key: self._exchanges[key].model_dump(mode="json") for key in sorted(self._exchanges)}

    def propose(self, output_type: type[T], **asked: Unpack[ProposalArguments]) -> T:
        """The recorded answer, checked once more, else the other's answer or error, recorded before it is handed on.

        Raises:
            ModelNonsense: the recorded answer is not valid for that type any more.
            ModelUnavailable: nothing was recorded for that question, and there is nobody to ask.
            ModelError: the error that was recorded, or made.
        """
        purpose, system, prompt = asked["purpose"], asked["system"], asked["prompt"]
        question = f"{purpose}/{hash_prompt(system, prompt)}"
        with self._lock:
            key = f"{question}/{self._asked[question]}"
            self._asked[question] += 1
            known = self._exchanges.get(key)
        if known is not None:
            _tell(self._journal, known, purpose, system, prompt)
            return _reveal(known, output_type, purpose, asked.get("context"))
        if self._proposer is None:
            raise ModelUnavailable(
                "The run has no recorded answer to this question.",
                hint="The run differs from the one that was recorded; replay it with the same data and version.",
                details={"purpose": purpose, "fault": "not_recorded"},
            )
        calls: list[ModelCall] = []

        def listen(call: ModelCall) -> None:
            calls.append(call)
            if self._journal is not None:
                self._journal(call)

        try:
            value = tell_calls(self._proposer, listen).propose(output_type, **asked)
        except ModelError as error:
            self._keep(key, Exchange(outcome=error.code, calls=_wordless(calls)))
            raise
        answer = value.model_dump_json(by_alias=True, round_trip=True)
        self._keep(key, Exchange(outcome="OK", answer=answer, calls=_wordless(calls)))
        return value

    def _keep(self, key: str, exchange: Exchange) -> None:
        with self._lock:
            self._exchanges[key] = exchange
            if self._file is not None:
                exchanges = {name: self._exchanges[name].model_dump(mode="json") for name in sorted(self._exchanges)}
                write_tape(self._file, exchanges, self._today)


class Replayer(Recorder):
    """Proposes what was proposed when the tape was made, and calls nobody."""

    def __init__(self, tape: Mapping[str, Any], journal: Journal | None = None) -> None:
        super().__init__(None, tape, journal)


@runtime_checkable
class _Journaled(Protocol):
    """A proposer that can tell a journal of its calls."""

    def heard_by(self, journal: Journal) -> Proposer:
        """The proposer, whose calls go to that journal."""
        ...


def tell_calls(proposer: Proposer, journal: Journal) -> Proposer:
    """The proposer with its calls told to a journal; one that calls nobody has nothing to tell."""
    return proposer.heard_by(journal) if isinstance(proposer, _Journaled) else proposer


def _tell(journal: Journal | None, exchange: Exchange, purpose: str, system: str, prompt: str) -> None:
    """Tell that a question was answered from the tape, at no cost."""
    if journal is None:
        return
    for call in exchange.calls:
        journal(call.model_copy(update={"cached": True}))
    if exchange.calls:
        return
    journal(
        ModelCall(
            purpose=purpose,
            provider=FROM_TAPE,
            model=FROM_TAPE,
            prompt_sha256=hash_prompt(system, prompt),
            response_sha256=None if exchange.answer is None else hash_text(exchange.answer),
            seconds=0,
            outcome=OUTCOMES.get(exchange.outcome, "OK" if exchange.outcome == "OK" else "MODEL_ERROR"),
            attempt=1,
            cached=True,
        )
    )


def _wordless(calls: list[ModelCall]) -> tuple[ModelCall, ...]:
    """Calls as a tape keeps them: what they cost, without the words, which the exchange holds already."""
    empty = dict.fromkeys(WORDS)
    return tuple(call.model_copy(update={**empty, "seconds": 0.0}) for call in calls)


def _reveal(exchange: Exchange, output_type: type[T], purpose: str, context: Mapping[str, Any] | None) -> T:
    details: dict[str, object] = {"purpose": purpose, "fault": "recorded"}
    if exchange.outcome != "OK" or exchange.answer is None:
        kind = RECORDED_ERRORS.get(exchange.outcome, ModelError)
        raise kind("The model gave no usable answer when the run was recorded.", details=details)
    try:
        return output_type.model_validate_json(exchange.answer, context=context)
    except ValidationError:
        raise ModelNonsense("The recorded answer is no longer valid.", details=details) from None


TAPE_VERSION = "averment.tape/1"


def write_tape(path: Path, exchanges: Mapping[str, Any], today: str) -> None:
    """Write a tape whole, in the place of what was there."""
    body = {"version": TAPE_VERSION, "today": today, "exchanges": dict(exchanges)}
    room = path.with_name(f"{path.name}.{os.getpid()}.part")
    room.write_text(json.dumps(body, ensure_ascii=False, sort_keys=True, indent=1) + "\n", encoding="utf-8")
    room.replace(path)


def read_tape_file(path: Path) -> dict[str, Any]:
    """The tape of a file.

    Raises:
        InvalidSettings: it is none.
    """
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidSettings(f"The tape {path.name} cannot be read.") from error
    if not isinstance(body, dict) or body.get("version") != TAPE_VERSION or not isinstance(body.get("exchanges"), dict):
        raise InvalidSettings(f"The file {path.name} is not a {TAPE_VERSION} tape.")
    return body


def today_for(settings: Settings) -> str:
    """The day a model is told to be today: the setting's, the tape's, or the day it is."""
    path = settings.model_tape
    if settings.model_today is None and path is not None and path.exists():
        return str(read_tape_file(path).get("today") or "") or utc_now().date().isoformat()
    return settings.model_today or utc_now().date().isoformat()


def open_proposer(settings: Settings, *, small: bool = False) -> Proposer | None:
    """The model that the settings name, a tape in its place, or None where the rules work alone.

    Raises:
        InvalidSettings: the tape cannot be read, or a base URL in the environment is none.
    """
    path = settings.model_tape
    if path is not None and path.exists():
        return Replayer(read_tape_file(path)["exchanges"])
    named = settings.model_small if small else None
    choice = choose(settings if named is None else settings.model_copy(update={"model_name": named}))
    if choice is None:
        return None
    client = ModelClient(choice, settings)
    if path is None:
        return client
    return Recorder(client, file=path, today=today_for(settings))
