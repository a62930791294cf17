"""The nearest rows of a matrix by cosine: pure arithmetic, exact, with equal rows in a fixed order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float32]

# One product in single precision rounds by a row's place in the matrix; rows this close are compared again exactly.
_SLACK = 1e-5


@dataclass(frozen=True, kw_only=True, slots=True)
class VectorRows:
    """Vectors of one length under their keys, sorted by key."""

    keys: list[str]
    matrix: NDArray[np.float32]
    norms: NDArray[np.float32]

    @classmethod
    def from_bytes(cls, keys: list[str], vectors: list[bytes]) -> VectorRows:
        """Rows from the little-endian float32 bytes of each vector; there is at least one."""
        matrix = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(keys), -1)
        return cls(keys=keys, matrix=matrix, norms=np.linalg.norm(matrix, axis=1))

    def nearest(self, wanted: Vector, k: int) -> list[tuple[str, float]]:
        """The k nearest keys with their cosines, the nearest first, equals by key."""
        rough = (self.matrix @ wanted) / (self.norms * np.linalg.norm(wanted))
        last = np.partition(rough, -k)[-k] if k < len(self.keys) else -np.inf
        near = np.flatnonzero(rough >= last - _SLACK)
        exact = cosines(self.matrix[near], wanted)
        # The keys are sorted, and a stable sort keeps that order among equals.
        return [(self.keys[near[place]], float(exact[place])) for place in np.argsort(-exact, kind="stable")[:k]]


def cosines(matrix: NDArray[np.float32], vector: Vector) -> NDArray[np.float64]:
    """The cosine of each row with the vector, in double precision; equal rows give equal cosines."""
    rows, wanted = matrix.astype(np.float64), vector.astype(np.float64)
    found = (rows * wanted).sum(axis=1) / np.sqrt((rows * rows).sum(axis=1) * (wanted * wanted).sum())
    return np.clip(found, -1.0, 1.0)
