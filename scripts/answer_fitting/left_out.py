"""Which articles and corpora the reader does not see."""

from __future__ import annotations

import hashlib

FOLDS = 4
"""One in so many articles is not shown to the reader."""
_SHOWN = frozenset({"pages", "guides", "readmes", "standard", "packages"})
FOLDER = "folder "
"""So begins the group of questions over a folder of documents; which of these are left out, a fit is told."""
_HIDDEN = frozenset({"cmake", "docs"})


def is_left_out(group: str) -> bool:
    """Whether the reader is not fitted on an article or a corpus: it is measured there, and its odds fitted."""
    if group.startswith(FOLDER):
        return False
    if group in _SHOWN or group in _HIDDEN:
        return group in _HIDDEN
    return hashlib.sha256(group.encode()).digest()[0] % FOLDS == 0
