"""Which articles the reader does not see."""

from __future__ import annotations

import hashlib

FOLDS = 4
"""One in so many articles is not shown to the reader."""


def is_left_out(article: str) -> bool:
    """Whether the reader is not fitted on an article, so that it can be measured, and its odds fitted, there."""
    return article != "pages" and hashlib.sha256(article.encode()).digest()[0] % FOLDS == 0
