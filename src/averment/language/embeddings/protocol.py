"""What every embedder promises, and which one is used when nobody chooses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from averment.language.embeddings.hashed import HashedTfidfEmbedder
from averment.language.embeddings.minilm import MiniLmEmbedder

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@runtime_checkable
class Embedder(Protocol):
    """Texts to unit vectors, the same bytes for the same text whatever stands beside it."""

    @property
    def name(self) -> str:
        """What made the vectors; vectors of different names must not be compared."""
        ...

    @property
    def dimension(self) -> int:
        """The length of every vector."""
        ...

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One row of length 1 for each text, zeros for a text without any content."""
        ...


def default_embedder(cache_dir: Path) -> Embedder:
    """The sentence model when its packages are installed, else the hashed fallback; ``name`` says which."""
    return MiniLmEmbedder(cache_dir) if MiniLmEmbedder.is_available() else HashedTfidfEmbedder()
