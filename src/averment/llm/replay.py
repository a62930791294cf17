"""Recorded exchanges: a run made with a model can be run again without it.

An exchange is known by its purpose, the hash of all that the model was told, and how often that very question came up
before. Failures are recorded too, so that a replay falls back to the rules where the run did. A tape is a plain dict of
JSON values; whoever keeps it is not this module's business.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any, Protocol, TypeVar, Unpack, runtime_checkable

from pydantic import BaseModel, TypeAdapter, ValidationError

from averment.errors import (
    ModelBudgetExceeded,
    ModelError,
    ModelNonsense,
    ModelTimeout,
    ModelUnavailable,
    VerificationFailed,
)
from averment.llm.call import WORDS, Journal, ModelCall, hash_prompt, hash_text
from averment.llm.client import OUTCOMES, JournaledProposer, ProposalArguments, Proposer
from averment.records.base import Record

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


class _Ordinals:
    """Counts how often the same question has come up, across threads."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()
        self._lock = threading.Lock()

    def key(self, purpose: str, system: str, prompt: str) -> str:
        question = f"{purpose}/{hash_prompt(system, prompt)}"
        with self._lock:
            ordinal = self._seen[question]
            self._seen[question] += 1
        return f"{question}/{ordinal}"


class Replayer(JournaledProposer):
    """Proposes what was proposed when the tape was made, and calls nobody."""

    def __init__(self, tape: Mapping[str, Any], journal: Journal | None = None) -> None:
        self._exchanges = read_tape(tape)
        self._ordinals = _Ordinals()
        self._journal = journal

    def propose(self, output_type: type[T], **asked: Unpack[ProposalArguments]) -> T:
        """The recorded answer, checked once more, or the recorded error.

        Raises:
            ModelNonsense: the recorded answer is not valid for that type any more.
            ModelUnavailable: nothing was recorded for that question.
            ModelError: the error that was recorded.
        """
        purpose, system, prompt = asked["purpose"], asked["system"], asked["prompt"]
        exchange = self._exchanges.get(self._ordinals.key(purpose, system, prompt))
        if exchange is None:
            raise ModelUnavailable(
                "The run has no recorded answer to this question.",
                hint="The run differs from the one that was recorded; replay it with the same data and version.",
                details={"purpose": purpose, "fault": "not_recorded"},
            )
        _tell(self._journal, exchange, purpose, system, prompt)
        return _reveal(exchange, output_type, purpose, asked.get("context"))


class Recorder(JournaledProposer):
    """Proposes what another proposes, and keeps each exchange.

    A recorder that starts from a tape answers from it first, so that a resumed run does not ask (or pay) twice.
    """

    def __init__(
        self, proposer: Proposer, tape: Mapping[str, Any] | None = None, journal: Journal | None = None
    ) -> None:
        self._proposer = proposer
        self._journal = journal
        self._exchanges = read_tape(tape or {})
        self._ordinals = _Ordinals()
        self._lock = threading.Lock()

    @property
    def tape(self) -> dict[str, Any]:
        """All exchanges so far as plain JSON values, in the order of their keys."""
        with self._lock:
            return {key: self._exchanges[key].model_dump(mode="json") for key in sorted(self._exchanges)}

    def propose(self, output_type: type[T], **asked: Unpack[ProposalArguments]) -> T:
        """The other's answer or error, recorded before it is handed on."""
        purpose, system, prompt = asked["purpose"], asked["system"], asked["prompt"]
        key = self._ordinals.key(purpose, system, prompt)
        with self._lock:
            known = self._exchanges.get(key)
        if known is not None:
            _tell(self._journal, known, purpose, system, prompt)
            return _reveal(known, output_type, purpose, asked.get("context"))
        calls: list[ModelCall] = []
        line = tell_calls(self._proposer, self._listening(calls))
        try:
            value = line.propose(output_type, **asked)
        except ModelError as error:
            self._keep(key, Exchange(outcome=error.code, calls=_wordless(calls)))
            raise
        answer = value.model_dump_json(by_alias=True, round_trip=True)
        self._keep(key, Exchange(outcome="OK", answer=answer, calls=_wordless(calls)))
        return value

    def _listening(self, calls: list[ModelCall]) -> Journal:
        """A journal that keeps the calls of one proposal, and hands them on."""

        def heard(call: ModelCall) -> None:
            calls.append(call)
            if self._journal is not None:
                self._journal(call)

        return heard

    def _keep(self, key: str, exchange: Exchange) -> None:
        with self._lock:
            self._exchanges[key] = exchange


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
