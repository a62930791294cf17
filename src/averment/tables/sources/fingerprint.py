"""Fingerprints of schemas: two sources with the same columns and types have the same one.

A fingerprint says nothing about rows, places or passwords; recipes are found again by it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable


def fingerprint_columns(columns: Iterable[tuple[str, str]]) -> str:
    """SHA-256 over the sorted (column name, type) pairs, whatever the order they came in."""
    return _digest(sorted([name, kind] for name, kind in columns))


def fingerprint_tables(tables: Iterable[Iterable[tuple[str, str]]]) -> str:
    """SHA-256 over the sorted fingerprints of several tables; one table alone keeps its own fingerprint.

    Table names stay out of it: the same export under another file name is the same schema.
    """
    prints = sorted(fingerprint_columns(columns) for columns in tables)
    return prints[0] if len(prints) == 1 else _digest(prints)


def _digest(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
