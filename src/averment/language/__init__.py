"""Embedded, deterministic understanding of what a person wrote: no model, no network, no tables.

``tokens`` and ``stems`` cut text into words, ``periods`` reads time, ``numbers`` reads amounts and comparisons,
``linking`` connects words to names and values, ``sentences`` splits and joins prose, ``embeddings`` turns text into
vectors. Everything is a pure function of its arguments; positions always point into the text that was given. Import
from the modules: this package loads nothing by itself.
"""
