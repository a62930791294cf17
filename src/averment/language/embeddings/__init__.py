"""Texts as vectors: one protocol, a sentence model run without torch, and a fallback that is always there.

``minilm_graph`` turns the installed weights into a graph once, ``minilm`` runs it, ``hashed`` needs nothing but numpy.
Nothing heavy is imported before the first text is embedded.
"""

from __future__ import annotations

from averment.language.embeddings.hashed import HashedTfidfEmbedder
from averment.language.embeddings.minilm import MiniLmEmbedder
from averment.language.embeddings.protocol import Embedder, default_embedder

__all__ = ["Embedder", "HashedTfidfEmbedder", "MiniLmEmbedder", "default_embedder"]
