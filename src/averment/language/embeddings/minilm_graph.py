"""The sentence model's weights as an ONNX graph: a BERT encoder, mean pooling, unit length.

The installed package holds safetensors only. Matrices become 8-bit integers with one scale for each output column (one
scale for a whole matrix costs too much), the word table one scale for each row; activations are quantised as they come.
Everything else stays in 32-bit floats.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.generic]

GRAPH_VERSION = 2
"""Part of the cached file's name: a new way of building makes a new file."""

_OPSET = 20
_IR_VERSION = 9


def build_graph(model_dir: Path, *, quantised: bool = True, fitted: Mapping[str, Any] | None = None) -> bytes:
    """The serialised graph of the weights in a folder, checked; the same weights give the same bytes.

    ``fitted`` holds what was fitted on top of them (``refitted``); the graph then also takes the mark of each token.
    """
    import onnx
    from safetensors.numpy import load_file

    config: dict[str, Any] = json.loads((model_dir / "config.json").read_text(encoding="utf-8"))
    weights = load_file(str(model_dir / "model.safetensors"))
    if fitted is not None:
        weights = refitted(weights, fitted)
    model = _EncoderWriter(weights, config, quantised, marked=fitted is not None).written()
    onnx.checker.check_model(model)
    return model.SerializeToString(deterministic=True)


def refitted(weights: Mapping[str, Any], fitted: Mapping[str, Any]) -> dict[str, Any]:
    """The weights with what was fitted on top: ``lN.PLACE.out @ lN.PLACE.in`` is added to the matrix of that place,
    ``lN.PLACE.weight`` and ``.bias`` take the place of a norm's, and ``marks`` that of the kinds of tokens.
    """
    import numpy as np

    found = dict(weights)
    for name, value in fitted.items():
        layer, _, rest = name.partition(".")
        if name == "marks":
            found["embeddings.token_type_embeddings.weight"] = value.astype(np.float32)
        if not (layer.startswith("l") and layer[1:].isdigit()):
            continue
        place, _, kind = rest.rpartition(".")
        path = f"encoder.layer.{layer[1:]}.{place}"
        if kind == "out":
            thin = fitted[f"{layer}.{place}.in"].astype(np.float32)
            found[f"{path}.weight"] = found[f"{path}.weight"] + value.astype(np.float32) @ thin
        elif kind != "in":
            found[f"{path}.{kind}"] = value.astype(np.float32)
    return found


class _EncoderWriter:
    """Writes the nodes of one encoder in order; each method returns the name of what it made."""

    def __init__(self, weights: dict[str, Any], config: dict[str, Any], quantised: bool, *, marked: bool) -> None:
        self._weights = weights
        self._marked = marked
        self._width = int(config["hidden_size"])
        self._layers = int(config["num_hidden_layers"])
        self._heads = int(config["num_attention_heads"])
        self._epsilon = float(config["layer_norm_eps"])
        self._quantised = quantised
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def written(self) -> Any:
        """The whole model: ids and mask in, one unit vector a row and the tokens' states out."""
        from onnx import TensorProto, helper

        hidden = self._embedded()
        mask = self._mask()
        for layer in range(self._layers):
            hidden = self._layer(hidden, mask, layer)
        self._pooled(hidden)
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
            for name in ("input_ids", "attention_mask", *(("marks",) if self._marked else ()))
        ]
        output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", self._width])
        self._node("Identity", [hidden], "states")
        states = helper.make_tensor_value_info("states", TensorProto.FLOAT, ["batch", "length", self._width])
        graph = helper.make_graph(self._nodes, "minilm", inputs, [output, states], self._constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION)

    def _constant(self, name: str, value: Array) -> str:
        import numpy as np
        from onnx import numpy_helper

        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def _integers(self, name: str, *values: int) -> str:
        import numpy as np

        return self._constant(name, np.array(values, np.int64))

    def _number(self, name: str, value: float) -> str:
        import numpy as np

        return self._constant(name, np.array(value, np.float32))

    def _node(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        from onnx import helper

        self._nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def _embedded(self) -> str:
        words = self._word_rows()
        positions = self._constant("positions", self._weights["embeddings.position_embeddings.weight"])
        kinds = self._weights["embeddings.token_type_embeddings.weight"]
        if self._marked:
            kind = self._node("Gather", [self._constant("kinds", kinds), "marks"], "kind")
        else:
            kind = self._constant("kind", kinds[0])
        first, one = self._integers("first", 0), self._integers("one", 1)
        self._node("Shape", ["input_ids"], "shape")
        self._node("Gather", ["shape", one], "length", axis=0)
        # A slice of the first rows; gathering a range of positions is what the runtime fails to optimise.
        self._node("Slice", [positions, first, "length", first], "placed")
        self._node("Add", [words, "placed"], "words_placed")
        self._node("Add", ["words_placed", kind], "summed")
        return self._normed("summed", "embeddings.LayerNorm", "embedded")

    def _word_rows(self) -> str:
        import numpy as np
        from onnx import TensorProto

        table = self._weights["embeddings.word_embeddings.weight"]
        if not self._quantised:
            return self._node("Gather", [self._constant("words", table), "input_ids"], "word_rows")
        small, scales = _to_bytes(table, axis=1)
        self._node("Gather", [self._constant("words", small), "input_ids"], "word_bytes")
        self._node("Cast", ["word_bytes"], "word_floats", to=TensorProto.FLOAT)
        self._node("Gather", [self._constant("word_scales", scales.astype(np.float32)), "input_ids"], "word_scale")
        return self._node("Mul", ["word_floats", "word_scale"], "word_rows")

    def _mask(self) -> str:
        """0 where a token stands, a very negative number where padding does."""
        from onnx import TensorProto

        self._node("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT)
        self._node("Unsqueeze", ["mask", self._integers("axes_1_2", 1, 2)], "mask_4d")
        self._node("Sub", [self._number("unit", 1.0), "mask_4d"], "hidden_4d")
        return self._node("Mul", ["hidden_4d", self._number("far_below", -1e9)], "mask_bias")

    def _layer(self, hidden: str, mask: str, layer: int) -> str:
        path, name = f"encoder.layer.{layer}", f"l{layer}"
        split = self._integers(f"{name}_split", 0, 0, self._heads, self._width // self._heads)
        merged = self._integers(f"{name}_merge", 0, 0, self._width)
        part: dict[str, str] = {}
        for role, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])):
            flat = self._linear(hidden, f"{path}.attention.self.{role}", f"{name}_{role}")
            self._node("Reshape", [flat, split], f"{name}_{role}_heads")
            part[role] = self._node("Transpose", [f"{name}_{role}_heads"], f"{name}_{role}_turned", perm=order)
        self._node("MatMul", [part["query"], part["key"]], f"{name}_raw")
        scale = self._number(f"{name}_scale", (self._width // self._heads) ** -0.5)
        self._node("Mul", [f"{name}_raw", scale], f"{name}_scaled")
        self._node("Add", [f"{name}_scaled", mask], f"{name}_masked")
        self._node("Softmax", [f"{name}_masked"], f"{name}_attention", axis=-1)
        self._node("MatMul", [f"{name}_attention", part["value"]], f"{name}_mixed")
        self._node("Transpose", [f"{name}_mixed"], f"{name}_mixed_turned", perm=[0, 2, 1, 3])
        self._node("Reshape", [f"{name}_mixed_turned", merged], f"{name}_context")
        said = self._linear(f"{name}_context", f"{path}.attention.output.dense", f"{name}_said")
        self._node("Add", [said, hidden], f"{name}_sum1")
        middle = self._normed(f"{name}_sum1", f"{path}.attention.output.LayerNorm", f"{name}_norm1")
        wide = self._linear(middle, f"{path}.intermediate.dense", f"{name}_wide")
        self._node("Gelu", [wide], f"{name}_gelu")
        narrow = self._linear(f"{name}_gelu", f"{path}.output.dense", f"{name}_narrow")
        self._node("Add", [narrow, middle], f"{name}_sum2")
        return self._normed(f"{name}_sum2", f"{path}.output.LayerNorm", f"{name}_norm2")

    def _linear(self, source: str, path: str, name: str) -> str:
        import numpy as np
        from onnx import TensorProto

        matrix = self._weights[f"{path}.weight"].T.astype(np.float32)
        bias = self._constant(f"{name}_bias", self._weights[f"{path}.bias"].astype(np.float32))
        if not self._quantised:
            self._node("MatMul", [source, self._constant(f"{name}_weight", matrix)], f"{name}_product")
            return self._node("Add", [f"{name}_product", bias], name)
        from onnx import helper

        small, scales = _to_bytes(matrix, axis=0)
        outputs = [f"{name}_in", f"{name}_in_scale", f"{name}_in_zero"]
        self._nodes.append(helper.make_node("DynamicQuantizeLinear", [source], outputs))
        zero = self._constant(f"{name}_zero", np.zeros(matrix.shape[1], np.int8))
        weight = self._constant(f"{name}_weight", small)
        self._node("MatMulInteger", [outputs[0], weight, outputs[2], zero], f"{name}_whole")
        self._node("Cast", [f"{name}_whole"], f"{name}_float", to=TensorProto.FLOAT)
        scale = self._constant(f"{name}_weight_scale", scales.reshape(-1).astype(np.float32))
        self._node("Mul", [outputs[1], scale], f"{name}_scale_product")
        self._node("Mul", [f"{name}_float", f"{name}_scale_product"], f"{name}_product")
        return self._node("Add", [f"{name}_product", bias], name)

    def _normed(self, source: str, path: str, name: str) -> str:
        gain = self._constant(f"{name}_gain", self._weights[f"{path}.weight"])
        shift = self._constant(f"{name}_shift", self._weights[f"{path}.bias"])
        return self._node("LayerNormalization", [source, gain, shift], name, axis=-1, epsilon=self._epsilon)

    def _pooled(self, hidden: str) -> str:
        self._node("Unsqueeze", ["mask", self._integers("axis_2", 2)], "mask_3d")
        self._node("Mul", [hidden, "mask_3d"], "kept")
        tokens = self._integers("axis_1", 1)
        self._node("ReduceSum", ["kept", tokens], "total", keepdims=0)
        self._node("ReduceSum", ["mask", tokens], "count", keepdims=1)
        self._node("Div", ["total", "count"], "mean")
        return self._node("LpNormalization", ["mean"], "embedding", axis=1, p=2)


def _to_bytes(matrix: Any, *, axis: int) -> tuple[Any, Any]:
    """Symmetric 8-bit integers and the scale of each column (axis 0) or row (axis 1), kept as a broadcastable array."""
    import numpy as np

    scales = np.abs(matrix).max(axis=axis, keepdims=True) / 127.0
    scales[scales == 0] = 1.0
    return np.clip(np.rint(matrix / scales), -127, 127).astype(np.int8), scales
