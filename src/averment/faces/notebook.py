"""What an exported notebook runs on: the sources as the run opened them, its tools, and the check of each finding.

    run = Rederivation(sources={"sales.csv": "SHA-256"}, folder=".")
    run.sql("query", "SELECT region, SUM(amount) AS total FROM sales GROUP BY region")
    run.check("West has the highest total, 12.", run.cell("query", 0, "total", says=12))

Nothing is written outside a folder of its own that goes away with the process.
"""

from __future__ import annotations

import base64
import hashlib
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment.errors import SourceChanged, SourceNotFound, VerificationFailed
from averment.errors.extras import require
from averment.evidence.values import Scalar, same, scalar
from averment.records.base import derived_id
from averment.settings import Settings

if TYPE_CHECKING:
    import pandas as pd

    from averment.sandbox.protocol import Jail
    from averment.tables.engines.engine import Engine
    from averment.tools.result_store import ResultStore
    from averment.tools.tool import ToolContext

NAMESPACE = "6f2c0d0c-7a47-4c1d-9d0b-0f4f1be0a2a7"
SECONDS = 180.0
ROWS = 200_000


@dataclass(frozen=True)
class NotebookValue:
    """A value as it was computed now, and as the report says it."""

    where: str
    now: Scalar
    says: Scalar


class Rederivation:
    """Computes what a run recorded again, from the sources it was given."""

    def __init__(
        self,
        sources: Mapping[str, str | None] | None = None,
        *,
        folder: str | Path = ".",
        read: Mapping[str, Any] | None = None,
    ) -> None:
        """Open the sources read-only, each as the run did.

        Raises:
            SourceNotFound: one of them is not in the folder.
            SourceChanged: one of them is not what the run saw.
        """
        from averment.store.storage.local import FileStore
        from averment.tools.registry import standard_registry
        from averment.tools.result_store import ResultStore

        self._room = tempfile.TemporaryDirectory(prefix="averment-notebook-")
        self._settings = Settings(home=Path(self._room.name))
        self._registry = standard_registry()
        self._result_store: ResultStore = ResultStore(FileStore(Path(self._room.name) / "files"), "work")
        self._engine = self._open(dict(sources or {}), Path(folder), read) if sources else None
        self._jail: Jail | None = None
        self._outputs: dict[str, dict[str, Any]] = {}
        self._texts: dict[str, str] = {}

    def sql(self, task: str, query: str, params: Sequence[Any] = ()) -> pd.DataFrame:
        """Run a query of the run again and show its rows."""
        return self.call(task, "sql.run", {"query": query, "params": list(params), "timeout": int(SECONDS)})

    def python(self, task: str, code: str, inputs: Sequence[str] = ()) -> Any:
        """Run a code of the run again in the strongest jail there is, and show the table it left."""
        return self.call(task, "python.run", {"code": code, "inputs": list(inputs)})

    def call(self, task: str, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Run a tool of the run again under its task; the table it gave, or else its output."""
        checked = self._registry.validate(tool, dict(arguments))
        call_id = derived_id(NAMESPACE, task)
        output: dict[str, Any] = self._registry.get(tool).run(checked, self._context(call_id)).model_dump(mode="json")
        self._outputs[task] = output
        self._result_store.answer(task, call_id)
        if not isinstance(output.get("table"), dict):
            return output
        require("notebook", "pandas")
        return self._result_store.by_task(task).to_pandas()

    def keep_text(self, digest: str, packed: str) -> str:
        """Unpack an archived text and check that it is the one of that SHA-256; returns its beginning.

        Raises:
            VerificationFailed: it is another.
        """
        content = zlib.decompress(base64.b64decode(packed))
        if hashlib.sha256(content).hexdigest() != digest:
            raise VerificationFailed(f"The text differs from the one archived as {digest}.")
        self._texts[digest] = content.decode()
        return self._texts[digest][:200]

    def cell(self, task: str, row: int, column: str, *, says: Scalar) -> NotebookValue:
        """One cell of a task's table."""
        value = self._result_store.by_task(task).column(column)[row].as_py()
        return NotebookValue(f"{task}[{row}, {column}]", scalar(value), says)

    def result(self, task: str, path: str, *, says: Scalar) -> NotebookValue:
        """One value of a task's output, by its path."""
        value: Any = self._outputs[task]
        for part in path.split("."):
            value = value[int(part)] if isinstance(value, list) else value[part]
        return NotebookValue(f"{task}.{path}", scalar(value), says)

    def span(self, digest: str, start: int, end: int, *, says: str) -> NotebookValue:
        """A stretch of an archived text."""
        return NotebookValue(f"{digest[:12]}[{start}:{end}]", self._texts[digest][start:end], says)

    def check(self, text: str, *found: NotebookValue) -> str:
        """Confirm a sentence of the report, or say which of its values the sources do not give.

        Raises:
            VerificationFailed: a value is another one now.
        """
        wrong = [
            f"{one.where} is {one.now!r}, the report says {one.says!r}" for one in found if not same(one.now, one.says)
        ]
        if wrong:
            raise VerificationFailed(f"This does not match its evidence: {text} ({'; '.join(wrong)})")
        return f"✓ {text}"

    def close(self) -> None:
        """End the query process and take the folder away."""
        for part in (self._engine, self._jail):
            if part is not None:
                part.close()
        self._room.cleanup()

    def _open(self, sources: dict[str, str | None], folder: Path, read: Mapping[str, Any] | None) -> Engine:
        from averment.tables.engines.engine import Engine
        from averment.tables.sources.opening import open_sources
        from averment.tables.sources.options import ReadOptions

        places = [name if "://" in name else str(folder / name) for name in sources]
        for name, place in zip(sources, places, strict=True):
            if "://" not in place and not Path(place).exists():
                raise SourceNotFound(f"{name} is not in {folder}.", hint="Put it there, or name its folder.")
        options = ReadOptions.from_dict(dict(read)) if read else None
        cache = Path(self._room.name) / "cache"
        catalog = open_sources(places, settings=self._settings, cache_dir=cache, options=options)
        for opened, digest in zip(catalog.sources, sources.values(), strict=True):
            if digest is not None and opened.content_sha256 != digest:
                raise SourceChanged(
                    f"{opened.label} differs from the file the run used: its SHA-256 is now {opened.content_sha256}."
                )
        return Engine(catalog, self._settings)

    def _context(self, call_id: str) -> ToolContext:
        from averment.tools.tool import ToolContext

        return ToolContext(
            call_id=call_id,
            settings=self._settings,
            engine=self._query_engine,
            jail=self._strongest,
            result_store=self._result_store,
            seconds_left=SECONDS,
            row_limit=ROWS,
        )

    def _query_engine(self) -> Engine:
        if self._engine is None:
            raise SourceNotFound("This notebook was opened without sources.")
        return self._engine

    def _strongest(self) -> Jail:
        from averment.sandbox.choose import strongest

        self._jail = self._jail or strongest(self._settings)
        return self._jail
