"""How a script that makes pages of the documentation ends: it writes them, or with --check says which are stale."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path


def write_or_check(pages: Mapping[Path, str]) -> int:
    """Write each page; with ``--check`` write nothing, and exit with 1 where one is not as it would be made now."""
    if "--check" not in sys.argv[1:]:
        for path, made in pages.items():
            path.write_text(made, encoding="utf-8")
        return 0
    stale = [path for path, made in pages.items() if not path.is_file() or path.read_text(encoding="utf-8") != made]
    if stale:
        sys.stderr.write(f"stale: {', '.join(path.name for path in stale)}; run {sys.argv[0]}\n")
    return 1 if stale else 0
