"""Scores of texts in tokens by the installed sentence model with thin matrices beside its own.

What is fitted comes as a small file of numbers; the model's own are taken from its file as they are. Run by onnxruntime
on one thread, so that the same texts get the same scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_HIDDEN = -1e9


class ThinReader:
    """The sentence model, turned into a reader of texts beside what they have in common."""

    def __init__(self, model: Path, fitted: Mapping[str, Any]) -> None:
        import numpy as np
        import onnxruntime
        from safetensors import safe_open

        from averment.reading.judge.thin_graph import ROLES, build_thin_graph

        layers = sum(name.endswith(".query.bias") for name in fitted)
        self._numbers: dict[str, Any] = {name: value.astype(np.float32) for name, value in fitted.items()}
        with safe_open(str(model / "model.safetensors"), "np") as base:
            self._words, self._places, self._kinds = (
                base.get_tensor(f"embeddings.{name}_embeddings.weight") for name in ("word", "position", "token_type")
            )
            for layer in range(layers):
                for role, path in ROLES.items():
                    matrix = base.get_tensor(f"encoder.layer.{layer}.{path}.weight")
                    self._numbers[f"layers.{layer}.{role}.weight"] = matrix
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        graph = build_thin_graph(layers, int(fitted["begin.weight"].shape[0]))
        self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        taken = {each.name for each in self._session.get_inputs()}
        self._numbers = {name: value for name, value in self._numbers.items() if name in taken}

    def scores(self, context: Sequence[int], texts: Sequence[Sequence[int]]) -> list[float]:
        """How well each text fits, in any unit: each sees the context and itself, the others change nothing."""
        import numpy as np

        ids, owner, places = [*context], [-1] * len(context), [*range(len(context))]
        starts: list[int] = []
        for number, text in enumerate(texts):
            starts.append(len(ids))
            ids += text
            owner += [number] * len(text)
            places += range(len(context), len(context) + len(text))
        who = np.array(owner)
        tokens = self._words[ids] + self._places[places] + self._kinds[(who >= 0).astype(int)]
        seen = (who[None, :] == -1) | (who[None, :] == who[:, None])
        mask = np.where(seen, 0.0, _HIDDEN).astype(np.float32)
        given = self._numbers | {"tokens": tokens, "mask": mask, "texts": np.array(starts, np.int64)}
        found: Any = self._session.run(None, given)[0]
        return [float(score) for score in found[:, 0]]
