"""Check digits of card numbers (Luhn) and IBANs (ISO 7064, mod 97), for whole arrays at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Truths = NDArray[np.bool_]


def _characters(texts: NDArray[Any]) -> NDArray[np.uint32]:
    """Code points, one row a text, zeros behind its end."""
    width = max(texts.dtype.itemsize // 4, 1)
    return np.ascontiguousarray(texts, dtype=f"U{width}").view(np.uint32).reshape(len(texts), width)


def luhn_holds(texts: NDArray[Any]) -> Truths:
    """Which texts are 13 to 19 digits whose last is the right check digit."""
    if len(texts) == 0:
        return np.zeros(0, dtype=np.bool_)
    codes = _characters(texts)
    used = codes != 0
    lengths = used.sum(axis=1)
    digits = codes.astype(np.int64) - ord("0")
    numeric = (((digits >= 0) & (digits <= 9)) | ~used).all(axis=1)
    from_right = lengths[:, None] - 1 - np.arange(codes.shape[1])[None, :]
    doubled = np.where(from_right % 2 == 1, digits * 2, digits)
    doubled = np.where(doubled > 9, doubled - 9, doubled)
    total = np.where(used, doubled, 0).sum(axis=1)
    return numeric & (lengths >= 13) & (lengths <= 19) & (total % 10 == 0)


def iban_holds(texts: NDArray[Any]) -> Truths:
    """Which texts are IBANs of 15 to 34 characters whose two check digits are right."""
    if len(texts) == 0:
        return np.zeros(0, dtype=np.bool_)
    upper = np.char.upper(texts)
    rotated = np.char.add(_slice(upper, 4, None), _slice(upper, 0, 4))
    codes = _characters(rotated).astype(np.int64)
    used = codes != 0
    lengths = used.sum(axis=1)
    is_digit = (codes >= ord("0")) & (codes <= ord("9"))
    is_letter = (codes >= ord("A")) & (codes <= ord("Z"))
    value = np.where(is_digit, codes - ord("0"), codes - ord("A") + 10)
    remainder = np.zeros(len(texts), dtype=np.int64)
    for position in range(codes.shape[1]):
        step = (remainder * np.where(is_digit[:, position], 10, 100) + value[:, position]) % 97
        remainder = np.where(used[:, position], step, remainder)
    plain = (is_digit | is_letter | ~used).all(axis=1)
    return plain & (lengths >= 15) & (lengths <= 34) & (remainder == 1)


def _slice(texts: NDArray[Any], start: int, stop: int | None) -> NDArray[Any]:
    codes = _characters(texts)[:, start:stop]
    if codes.shape[1] == 0:
        return np.full(len(texts), "", dtype="U1")
    return np.ascontiguousarray(codes).view(f"U{codes.shape[1]}").reshape(len(texts))
