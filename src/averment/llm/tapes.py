"""Tapes as files: the exchanges of runs with a model, written as they are made, and answered from afterwards.

A tape that exists is the model: nobody is called, and the same question over the same data gives the same bytes. A tape
that does not exist yet is written, each exchange before it is handed on.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from copy import copy
from pathlib import Path
from typing import Any, TypeVar, Unpack

from pydantic import BaseModel

from averment.errors import InvalidSettings
from averment.llm.call import Journal
from averment.llm.client import ModelClient, ProposalArguments, Proposer
from averment.llm.provider import choose
from averment.llm.replay import Recorder, Replayer
from averment.records.base import utc_now
from averment.settings import Settings

T = TypeVar("T", bound=BaseModel)
TAPE_VERSION = "averment.tape/1"


class TapedProposer:
    """A model whose exchanges go to a file."""

    def __init__(self, recorder: Recorder, path: Path, today: str) -> None:
        self._recorder = recorder
        self._path = path
        self._today = today
        self._lock = threading.Lock()

    def heard_by(self, journal: Journal) -> TapedProposer:
        """The same tape, whose calls go to that journal too."""
        heard = copy(self)
        heard._recorder = self._recorder.heard_by(journal)
        return heard

    def propose(self, output_type: type[T], **asked: Unpack[ProposalArguments]) -> T:
        """The model's answer or error, on the tape before it is handed on."""
        try:
            return self._recorder.propose(output_type, **asked)
        finally:
            with self._lock:
                write_tape(self._path, self._recorder.tape, self._today)


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
    return TapedProposer(Recorder(client), path, today_for(settings))
