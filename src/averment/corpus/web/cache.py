"""Pages kept on disk by their address, for as long as they count as fresh; losing the folder loses nothing."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import suppress
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from averment.records.base import iso_z, utc_now

FRESH = timedelta(hours=24)


class PageCache:
    """One folder of pages, each a line of facts and then its bytes; writers never disturb readers."""

    def __init__(self, folder: Path, fresh: timedelta = FRESH) -> None:
        self._folder = folder
        self._fresh = fresh

    def get(self, url: str) -> tuple[dict[str, Any], bytes] | None:
        """The facts and bytes of a page that is fresh; None for anything else, also a damaged file."""
        try:
            head, _, content = self._path(url).read_bytes().partition(b"\n")
            facts = json.loads(head)
            kept_at = datetime.fromisoformat(facts["fetched_at"])
            intact = facts["sha256"] == sha256(content).hexdigest() and facts["requested"] == url
        except (OSError, ValueError, KeyError, TypeError):
            return None
        fresh = timedelta(0) <= utc_now() - kept_at < self._fresh
        return (facts, content) if intact and fresh else None

    def put(self, url: str, facts: dict[str, Any], content: bytes, fetched_at: datetime) -> None:
        """Keep a page; a folder that cannot be written keeps nothing, which is no failure of the fetch."""
        line = {**facts, "requested": url, "fetched_at": iso_z(fetched_at), "sha256": sha256(content).hexdigest()}
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._folder, prefix=".page-", suffix=".tmp")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(json.dumps(line).encode() + b"\n" + content)
                Path(name).replace(self._path(url))
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise

    def _path(self, url: str) -> Path:
        return self._folder / sha256(url.encode("utf-8", "surrogatepass")).hexdigest()
