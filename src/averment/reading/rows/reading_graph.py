"""The reader as a graph: the sentence model's layers with the fitted thin matrices added, over one row of tokens.

All programs stand one behind the other after the question and its table; a mask says who sees whom: the question's part
sees itself, each program sees that part and itself. So everything is computed once, without padding.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HEADS = 12
_EPSILON = 1e-12
_OPSET, _IR_VERSION = 20, 9
_ROLES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "said": "attention.output.dense",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
}


def build_reading_graph(base: Mapping[str, Any], fitted: Mapping[str, Any]) -> bytes:
    """The serialised graph: embedded tokens, a mask and the places of the programs in; one score a program out."""
    import onnx

    model = _Writer(base, fitted).written()
    onnx.checker.check_model(model)
    return model.SerializeToString(deterministic=True)


class _Writer:
    """Writes the nodes in order; each method returns the name of what it made."""

    def __init__(self, base: Mapping[str, Any], fitted: Mapping[str, Any]) -> None:
        self._base, self._fitted = base, fitted
        self._width = int(fitted["begin.weight"].shape[0])
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def written(self) -> Any:
        """The whole model."""
        from onnx import TensorProto, helper

        hidden = self._normed("tokens", "begin")
        layers = sum(name.endswith(".query.bias") for name in self._fitted)
        for layer in range(layers):
            hidden = self._layer(hidden, f"layers.{layer}", f"encoder.layer.{layer}")
        self._node("Gather", [hidden, "programs"], "heads", axis=0)
        last = self._constant("last", self._array("last.weight").T)
        bias = self._constant("last_bias", self._array("last.bias"))
        self._node("Add", [self._node("MatMul", ["heads", last], "heads_last"), bias], "scores")
        inputs = [
            helper.make_tensor_value_info("tokens", TensorProto.FLOAT, ["length", self._width]),
            helper.make_tensor_value_info("mask", TensorProto.FLOAT, ["length", "length"]),
            helper.make_tensor_value_info("programs", TensorProto.INT64, ["count"]),
        ]
        output = helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["count", 1])
        graph = helper.make_graph(self._nodes, "rows", inputs, [output], self._constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION)

    def _array(self, name: str) -> Any:
        import numpy as np

        return self._fitted[name].astype(np.float32)

    def _constant(self, name: str, value: Any) -> str:
        import numpy as np
        from onnx import numpy_helper

        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def _node(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        from onnx import helper

        self._nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def _layer(self, hidden: str, name: str, path: str) -> str:
        import numpy as np

        each = self._width // HEADS
        split = self._constant(f"{name}.split", np.array([-1, HEADS, each], np.int64))
        joined = self._constant(f"{name}.joined", np.array([-1, self._width], np.int64))
        part: dict[str, str] = {}
        for role, order in (("query", [1, 0, 2]), ("key", [1, 2, 0]), ("value", [1, 0, 2])):
            flat = self._linear(hidden, name, path, role)
            self._node("Reshape", [flat, split], f"{flat}.split")
            part[role] = self._node("Transpose", [f"{flat}.split"], f"{flat}.turned", perm=order)
        self._node("MatMul", [part["query"], part["key"]], f"{name}.raw")
        scale = self._constant(f"{name}.scale", np.array(each**-0.5, np.float32))
        self._node("Mul", [f"{name}.raw", scale], f"{name}.scaled")
        self._node("Add", [f"{name}.scaled", "mask"], f"{name}.masked")
        self._node("Softmax", [f"{name}.masked"], f"{name}.attention", axis=-1)
        self._node("MatMul", [f"{name}.attention", part["value"]], f"{name}.mixed")
        self._node("Transpose", [f"{name}.mixed"], f"{name}.mixed.turned", perm=[1, 0, 2])
        self._node("Reshape", [f"{name}.mixed.turned", joined], f"{name}.mixed.joined")
        said = self._linear(f"{name}.mixed.joined", name, path, "said")
        self._node("Add", [said, hidden], f"{name}.sum1")
        middle = self._normed(f"{name}.sum1", f"{name}.first")
        self._node("Gelu", [self._linear(middle, name, path, "wide")], f"{name}.gelu")
        narrow = self._linear(f"{name}.gelu", name, path, "narrow")
        self._node("Add", [narrow, middle], f"{name}.sum2")
        return self._normed(f"{name}.sum2", f"{name}.second")

    def _linear(self, source: str, name: str, path: str, role: str) -> str:
        import numpy as np

        own = f"{name}.{role}"
        matrix = self._base[f"{path}.{_ROLES[role]}.weight"].astype(np.float32)
        matrix = matrix + self._array(f"{own}.up") @ self._array(f"{own}.down")
        weight = self._constant(f"{own}.weight", matrix.T)
        self._node("MatMul", [source, weight], f"{own}.product")
        return self._node("Add", [f"{own}.product", self._constant(f"{own}.bias", self._array(f"{own}.bias"))], own)

    def _normed(self, source: str, name: str) -> str:
        gain = self._constant(f"{name}.gain", self._array(f"{name}.weight"))
        shift = self._constant(f"{name}.shift", self._array(f"{name}.bias"))
        return self._node("LayerNormalization", [source, gain, shift], f"{name}.out", axis=-1, epsilon=_EPSILON)
