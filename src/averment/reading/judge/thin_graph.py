"""A reader of texts as a graph: the sentence model's layers, with thin matrices beside them, over one row of tokens.

All texts stand one behind the other after what they have in common; a mask says who sees whom. The numbers are inputs
of the graph and not part of it: so it is built at once, and the model's own stay where they are in its file.
"""

from __future__ import annotations

from typing import Any

HEADS = 12
ROLES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "said": "attention.output.dense",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
}
_EPSILON = 1e-12
_OPSET, _IR_VERSION = 20, 9


def build_thin_graph(layers: int, width: int) -> bytes:
    """The serialised graph: embedded tokens, a mask, the places of the texts and all numbers in; a score a text out."""
    import onnx

    model = _GraphWriter(layers, width).written()
    onnx.checker.check_model(model)
    return model.SerializeToString(deterministic=True)


class _GraphWriter:
    """Writes the nodes in order; each method returns the name of what it made."""

    def __init__(self, layers: int, width: int) -> None:
        self._layers, self._width = layers, width
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []

    def written(self) -> Any:
        """The whole model."""
        from onnx import TensorProto, helper

        self._input("tokens", "length", self._width)
        self._input("mask", "length", "length")
        self._inputs.append(helper.make_tensor_value_info("texts", TensorProto.INT64, ["count"]))
        hidden = self._normed("tokens", "begin")
        for layer in range(self._layers):
            hidden = self._layer(hidden, f"layers.{layer}")
        self._node("Gather", [hidden, "texts"], "heads", axis=0)
        last, bias = self._input("last.weight", 1, self._width), self._input("last.bias", 1)
        self._node("Gemm", ["heads", last, bias], "scores", transB=1)
        output = helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["count", 1])
        graph = helper.make_graph(self._nodes, "thin", self._inputs, [output], self._constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION)

    def _input(self, name: str, *shape: int | str | None) -> str:
        from onnx import TensorProto, helper

        self._inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def _constant(self, name: str, value: Any) -> str:
        import numpy as np
        from onnx import numpy_helper

        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def _node(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        from onnx import helper

        self._nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def _layer(self, hidden: str, name: str) -> str:
        import numpy as np

        each = self._width // HEADS
        split = self._constant(f"{name}.split", np.array([-1, HEADS, each], np.int64))
        joined = self._constant(f"{name}.joined", np.array([-1, self._width], np.int64))
        part: dict[str, str] = {}
        for role, order in (("query", [1, 0, 2]), ("key", [1, 2, 0]), ("value", [1, 0, 2])):
            flat = self._linear(hidden, f"{name}.{role}")
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
        said = self._linear(f"{name}.mixed.joined", f"{name}.said")
        self._node("Add", [said, hidden], f"{name}.sum1")
        middle = self._normed(f"{name}.sum1", f"{name}.first")
        self._node("Gelu", [self._linear(middle, f"{name}.wide")], f"{name}.gelu")
        narrow = self._linear(f"{name}.gelu", f"{name}.narrow")
        self._node("Add", [narrow, middle], f"{name}.sum2")
        return self._normed(f"{name}.sum2", f"{name}.second")

    def _linear(self, source: str, own: str) -> str:
        """The model's own product, and beside it that of the thin matrices."""
        weight, bias = self._input(f"{own}.weight", None, None), self._input(f"{own}.bias", None)
        down, up = self._input(f"{own}.down", None, None), self._input(f"{own}.up", None, None)
        self._node("Gemm", [source, weight, bias], f"{own}.product", transB=1)
        self._node("Gemm", [source, down], f"{own}.thin", transB=1)
        return self._node("Gemm", [f"{own}.thin", up, f"{own}.product"], own, transB=1)

    def _normed(self, source: str, name: str) -> str:
        gain, shift = self._input(f"{name}.weight", self._width), self._input(f"{name}.bias", self._width)
        return self._node("LayerNormalization", [source, gain, shift], f"{name}.out", axis=-1, epsilon=_EPSILON)
