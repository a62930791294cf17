"""The reader: weighs the words of programs beside a question and its table.

It is the installed sentence model with a few fitted numbers added (``reader.safetensors`` beside this file, fitted by
``scripts/fit_row_ranker.py``), run by onnxruntime on one thread, so that the same question gets the same scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from typing import Any

from averment.language.embeddings.minilm import MiniLmEmbedder, model_dir
from averment.reading.rows.shortlist import Tokens

_HIDDEN = -1e9
_KEPT_DIGITS = 4
"""Scores are rounded, so that what differs by the machine's rounding alone is the same."""


class Reader:
    """Scores of programs in words."""

    def __init__(self) -> None:
        import onnxruntime
        from safetensors.numpy import load, load_file

        from averment.reading.rows.reading_graph import build_reading_graph

        home = model_dir()
        base = load_file(str(home / "model.safetensors"))
        packaged = resources.files("averment.reading.rows").joinpath("reader.safetensors").read_bytes()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        graph = build_reading_graph(base, load(packaged))
        self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        self._words, self._places, self._kinds = (
            base[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")
        )
        self._tokens = Tokens(home)

    def scores(self, question: str, table: str, programs: Sequence[str]) -> list[float]:
        """How well each program fits the question, in any unit; the others beside it change nothing."""
        return self.token_scores(self._tokens.context(question, table), self._tokens.programs(list(programs)))

    def token_scores(self, context: Sequence[int], programs: Sequence[Sequence[int]]) -> list[float]:
        """The same for texts that are tokens already."""
        import numpy as np

        ids = [*context]
        owner = [-1] * len(context)
        places = [*range(len(context))]
        starts: list[int] = []
        for number, program in enumerate(programs):
            starts.append(len(ids))
            ids += program
            owner += [number] * len(program)
            places += range(len(context), len(context) + len(program))
        who = np.array(owner)
        tokens = self._words[ids] + self._places[places] + self._kinds[(who >= 0).astype(int)]
        seen = (who[None, :] == -1) | (who[None, :] == who[:, None])
        mask = np.where(seen, 0.0, _HIDDEN).astype(np.float32)
        given: dict[str, Any] = {"tokens": tokens, "mask": mask, "programs": np.array(starts, np.int64)}
        found: Any = self._session.run(None, given)[0]
        return [round(float(score), _KEPT_DIGITS) for score in found[:, 0]]


@lru_cache(maxsize=1)
def packaged_reader() -> Reader | None:
    """The reader that comes with the package, made at the first question; None without the sentence model."""
    return Reader() if MiniLmEmbedder.is_available() else None
