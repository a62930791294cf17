"""Whether the files behind a catalog are still the ones that were opened: size, time of change and file number."""

from __future__ import annotations

import glob
from collections.abc import Mapping
from pathlib import Path

from averment.errors import SourceChanged, SourceVanished
from averment.tables.catalog import Catalog, OpenedSource, is_elsewhere

Signature = tuple[tuple[str, int, int, int], ...]


def sign_sources(catalog: Catalog) -> dict[str, tuple[OpenedSource, Signature]]:
    """The present signature of every source that is made of files, by label."""
    files = [source for source in catalog.sources if not is_elsewhere(source.attach)]
    return {source.label: (source, _sign(source)) for source in files}


def check_unchanged(signatures: Mapping[str, tuple[OpenedSource, Signature]]) -> None:
    """Nothing, while every file is as it was.

    Raises:
        SourceVanished: a file is no longer there.
        SourceChanged: a file was written to or replaced.
    """
    for label, (source, before) in signatures.items():
        now = _sign(source)
        if now == before and now:
            continue
        if len(now) < max(len(before), 1):
            raise SourceVanished(f"The source {label} is no longer there.", details={"source": label})
        raise SourceChanged(f"The source {label} has changed since it was opened.", details={"source": label})


def _sign(source: OpenedSource) -> Signature:
    path = source.attach_path
    if source.attach == "parquet" and (glob.has_magic(path) or Path(path).is_dir()):
        pattern = path if glob.has_magic(path) else f"{glob.escape(path)}/**/*.parquet"
        paths = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207  # whole pattern
    else:
        # A write-ahead log beside a SQLite file holds changes that the file does not show yet.
        paths = [path, f"{path}-wal"] if source.attach == "sqlite" else [path]
    found: list[tuple[str, int, int, int]] = []
    for name in paths:
        try:
            stat = Path(name).stat()
        except OSError:
            continue
        if name.endswith("-wal") and stat.st_size == 0:
            continue
        found.append((name, stat.st_size, stat.st_mtime_ns, stat.st_ino))
    return tuple(found)
