"""An adapter's matrices put into base weights of a GGUF file once, so that running them costs nothing more.

The base comes from a package; the adapter is small and comes with ours. What is merged is written beside other caches
under a name made of both contents. Only NumPy is needed, so that a fitting script can load this file by itself.
"""

from __future__ import annotations

import os
import secrets
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

LAYERS = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
"""The matrices of a layer: how GGUF calls them, and how the libraries call them that fit."""

STRENGTH = 2.0
"""By what an adapter's product is multiplied before it is added."""

_NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_TEXT, _LIST = 8, 9
_F32, _F16, _Q4_1, _Q8_0 = 0, 1, 3, 8
_BLOCK = 32
_ALIGNED = 32
_BYTES = {_F32: 4 * _BLOCK, _F16: 2 * _BLOCK, _Q4_1: 4 + _BLOCK // 2, _Q8_0: 2 + _BLOCK}
"""Bytes of a block of 32 numbers, by how they are kept."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor of a file: its shape, rows first, how it is kept, and its bytes."""

    shape: tuple[int, ...]
    kept: int
    data: Any

    def floats(self) -> Any:
        """Its numbers."""
        raw = np.frombuffer(self.data, np.uint8)
        if self.kept == _F32:
            return raw.view("<f4").reshape(self.shape)
        if self.kept == _F16:
            return raw.view("<f2").astype(np.float32).reshape(self.shape)
        blocks = raw.reshape(-1, _BYTES[self.kept])
        if self.kept == _Q8_0:
            scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
            return (blocks[:, 2:].view(np.int8) * scale).reshape(self.shape)
        scale, least = np.split(blocks[:, :4].copy().view("<f2").astype(np.float32), 2, axis=1)
        fours = blocks[:, 4:]
        return (np.concatenate([fours & 15, fours >> 4], axis=1) * scale + least).reshape(self.shape)


class GgufFile:
    """What a GGUF file holds: numbers and texts that describe it, and tensors.

    Raises:
        ValueError: the file is not of this kind, or keeps numbers in a way that is not read here.
    """

    def __init__(self, path: Path) -> None:
        self.numbers: dict[str, Any] = {}
        self.tensors: dict[str, Tensor] = {}
        with path.open("rb") as file:
            magic, version, count, facts = struct.unpack("<4sIQQ", file.read(24))
            if magic != b"GGUF" or version != 3:
                raise ValueError(f"{path.name} is not a GGUF file of version 3.")
            for _ in range(facts):
                name = _text(file)
                self.numbers[name] = _value(file, *struct.unpack("<I", file.read(4)))
            self.head_end = file.tell()
            places = [_place(file) for _ in range(count)]
            start = _aligned(file.tell())
        memory = np.memmap(path, np.uint8, "r")
        for name, shape, kept, offset in places:
            if kept not in _BYTES:
                raise ValueError(f"{path.name} keeps {name} in a way that is not read here ({kept}).")
            size = int(np.prod(shape)) // _BLOCK * _BYTES[kept]
            self.tensors[name] = Tensor(shape, kept, memory[start + offset : start + offset + size])
        self.head = bytes(memory[24 : self.head_end])
        self.facts = facts


def _text(file: BinaryIO) -> str:
    (length,) = struct.unpack("<Q", file.read(8))
    return file.read(length).decode("utf-8", "replace")


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _TEXT:
        return _text(file)
    if kind == _LIST:
        each, count = struct.unpack("<IQ", file.read(12))
        return [_value(file, each) for _ in range(count)]
    form = _NUMBERS[kind]
    return struct.unpack(form, file.read(struct.calcsize(form)))[0]


def _place(file: BinaryIO) -> tuple[str, tuple[int, ...], int, int]:
    name = _text(file)
    (dimensions,) = struct.unpack("<I", file.read(4))
    shape = struct.unpack(f"<{dimensions}Q", file.read(8 * dimensions))
    kept, offset = struct.unpack("<IQ", file.read(12))
    return name, tuple(reversed(shape)), kept, offset


def _aligned(place: int) -> int:
    return -(-place // _ALIGNED) * _ALIGNED


def adapter_of(path: Path) -> dict[str, Any]:
    """An adapter's matrices by name, from whole numbers and the scale of each row."""
    with np.load(path, allow_pickle=False) as kept:
        names = [name for name in kept.files if not name.endswith(".scale")]
        return {name: kept[name].astype(np.float32) * kept[f"{name}.scale"].astype(np.float32) for name in names}


def packed(matrices: Mapping[str, Any]) -> dict[str, Any]:
    """Matrices as ``adapter_of`` reads them: a byte a number, with a scale for each row."""
    made: dict[str, Any] = {}
    for name, matrix in matrices.items():
        scale = np.maximum(np.abs(matrix).max(axis=1, keepdims=True), 1e-12).astype(np.float32) / 127
        made[name] = np.round(matrix / scale).astype(np.int8)
        made[f"{name}.scale"] = scale
    return made


def merge(base: Path, adapter: Path, into: Path) -> None:
    """Write the base with the adapter in it; matrices are kept with eight bits a number."""
    file, matrices = GgufFile(base), adapter_of(adapter)
    heads = {name: int(file.numbers[f"llama.attention.{key}"]) for name, key in _HEADS.items()}
    made: list[tuple[str, Tensor]] = []
    for name, tensor in file.tensors.items():
        parts = name.split(".")
        fitted = f"model.layers.{parts[1]}.{LAYERS[parts[2]]}" if len(parts) > 3 and parts[2] in LAYERS else ""
        if f"{fitted}.a" not in matrices:
            made.append((name, tensor))
            continue
        added = STRENGTH * (matrices[f"{fitted}.b"] @ matrices[f"{fitted}.a"])
        if parts[2] in heads:  # GGUF keeps the rows of queries and keys in another order.
            rows, columns = added.shape
            added = added.reshape(heads[parts[2]], 2, -1, columns).swapaxes(1, 2).reshape(rows, columns)
        made.append((name, Tensor(tensor.shape, _Q8_0, _in_bytes(tensor.floats() + added))))
    _write(file, made, into)


_HEADS = {"attn_q": "head_count", "attn_k": "head_count_kv"}


def _in_bytes(numbers: Any) -> Any:
    blocks = numbers.reshape(-1, _BLOCK)
    scale = np.abs(blocks).max(axis=1, keepdims=True) / 127
    kept = np.empty((len(blocks), _BYTES[_Q8_0]), np.uint8)
    kept[:, :2] = scale.astype("<f2").view(np.uint8)
    kept[:, 2:] = np.round(blocks / np.where(scale == 0, 1, scale)).astype(np.int8).view(np.uint8)
    return kept.reshape(-1)


def _write(file: GgufFile, tensors: list[tuple[str, Tensor]], into: Path) -> None:
    """Write a file of these tensors whole or not at all."""
    into.parent.mkdir(parents=True, exist_ok=True)
    beside = into.with_name(f"{into.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with beside.open("xb") as out:
            out.write(struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), file.facts) + file.head)
            offset = 0
            for name, tensor in tensors:
                called = name.encode()
                shape = tuple(reversed(tensor.shape))
                out.write(struct.pack("<Q", len(called)) + called + struct.pack("<I", len(shape)))
                out.write(struct.pack(f"<{len(shape)}Q", *shape) + struct.pack("<IQ", tensor.kept, offset))
                offset = _aligned(offset + len(tensor.data))
            for _, tensor in tensors:
                out.write(b"\0" * (_aligned(out.tell()) - out.tell()))
                out.write(bytes(tensor.data))
        beside.replace(into)
    finally:
        beside.unlink(missing_ok=True)
