"""The sentence model all-MiniLM-L6-v2, run by onnxruntime on one thread, its graph built once under a cache folder.

Texts run one at a time: activations are quantised by their own range, so a text in a batch would get a vector that
depends on its neighbours. On one thread this costs nothing, since no padding is computed either.
"""

from __future__ import annotations

import errno
import os
import tempfile
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment.errors import DiskFull, HomeNotWritable, MissingExtra
from averment.errors.extras import require
from averment.language.embeddings.weights import weights_dir

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_NEEDED = ("onnx", "onnxruntime", "safetensors", "tokenizers")
_LONGEST = 256

MarkedStates = Callable[[Sequence[int], Sequence[int]], "npt.NDArray[np.float32]"]
"""Tokens and their marks to what the model makes of each token, one row a token."""


class MiniLmEmbedder:
    """The sentence model; the first text builds or loads the graph.

    Raises:
        MissingExtra: one of its packages is not installed, or its weights were not fetched.
    """

    name = "minilm-l6-v2-int8"
    dimension = 384

    def __init__(self, cache_dir: Path) -> None:
        require("language", *_NEEDED)
        model_dir()
        self._cache_dir = cache_dir
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    @staticmethod
    def is_available() -> bool:
        """Whether all its packages are installed and its weights are here."""
        return weights_dir() is not None and all(find_spec(package) is not None for package in _NEEDED)

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One unit vector for each text; zeros for a text without any content.

        Raises:
            HomeNotWritable: the graph cannot be saved in the cache folder.
        """
        import numpy as np

        rows = np.zeros((len(texts), self.dimension), np.float32)
        tokenizer, session = self._model()
        for place, text in enumerate(texts):
            if not text.strip():
                continue
            encoded = tokenizer.encode(text.encode("utf-8", "replace").decode("utf-8"))
            ids = np.array([encoded.ids], np.int64)
            rows[place] = session.run(["embedding"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]
        return rows

    @property
    def model(self) -> Path:
        """The folder of the installed weights and their tokens."""
        return model_dir()

    def refitted(self, fitted: bytes) -> MarkedStates:
        """The model with what was fitted on top of it (safetensors): tokens and their marks to their states.

        Raises:
            HomeNotWritable: the graph cannot be saved in the cache folder.
        """
        import numpy as np

        session = _session(graph_path(self._cache_dir, fitted))

        def states(ids: Sequence[int], marks: Sequence[int]) -> npt.NDArray[np.float32]:
            row = np.array([ids], np.int64)
            given = {"input_ids": row, "attention_mask": np.ones_like(row), "marks": np.array([marks], np.int64)}
            found: npt.NDArray[np.float32] = session.run(["states"], given)[0][0]
            return found

        return states

    def _model(self) -> tuple[Any, Any]:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(graph_path(self._cache_dir))
            return self._loaded


def model_dir() -> Path:
    """The folder of the weights.

    Raises:
        MissingExtra: they were not fetched.
    """
    found = weights_dir()
    if found is None:
        raise MissingExtra(
            "The sentence model's weights are not installed.", hint="Download them with: averment models get"
        )
    return found


def graph_path(cache_dir: Path, fitted: bytes | None = None) -> Path:
    """The graph's file in a cache folder, built first where it is not there yet; with what was ``fitted`` on top.

    Many processes may ask at once: one builds while the others wait, and the file appears whole or not at all.

    Raises:
        HomeNotWritable: the folder cannot be written.
        DiskFull: there is no space for the graph.
    """
    from averment.language.embeddings.minilm_graph import GRAPH_VERSION, build_graph

    source = model_dir()
    weights = source / "model.safetensors"
    identity = f"{GRAPH_VERSION}:{weights.stat().st_size}:{_head_digest(weights)}"
    identity += "" if fitted is None else f":{sha256(fitted).hexdigest()}"
    path = cache_dir / f"minilm-int8-{sha256(identity.encode()).hexdigest()[:16]}.onnx"
    if path.is_file():
        return path
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        with _one_builder(path.with_suffix(".lock")):
            if not path.is_file():
                _write_whole(path, build_graph(source, fitted=None if fitted is None else _loaded(fitted)))
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise DiskFull("The disk is full, so the sentence model's graph cannot be saved.") from error
        raise HomeNotWritable(
            f"The sentence model's graph cannot be saved in {cache_dir}: {error.strerror}."
        ) from error
    return path


def whole_tokens(model: Path) -> tuple[Any, int, int]:
    """The model's tokenizer, which cuts and fills nothing, and the tokens that begin and end a text."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    first, last = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    if first is None or last is None:
        raise LookupError(f"The tokenizer of {model.name} has no tokens that begin and end a text.")
    return tokenizer, first, last


def _load(path: Path) -> tuple[Any, Any]:
    tokenizer, _, _ = whole_tokens(model_dir())
    tokenizer.enable_truncation(_LONGEST)
    return tokenizer, _session(path)


def _session(path: Path) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _loaded(fitted: bytes) -> dict[str, Any]:
    from safetensors.numpy import load

    return load(fitted)


def _head_digest(path: Path) -> str:
    """A digest of the header and first weights: tells two releases apart without reading 90 MB at each start."""
    with path.open("rb") as file:
        return sha256(file.read(1 << 20)).hexdigest()


@contextmanager
def _one_builder(lock: Path) -> Generator[None]:
    import fcntl

    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _write_whole(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".minilm-", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
