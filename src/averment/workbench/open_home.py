"""A home that is open: its services, the agents and the runner that the parts of the workbench share."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment.factory import AgentFactory
from averment.runtime.events import Listener
from averment.runtime.execution.runner import Runner
from averment.runtime.services import Services
from averment.settings import Settings, load
from averment.workbench.given import Sources, places_of

if TYPE_CHECKING:
    from averment.records.analysis import DataSource
    from averment.runtime.execution.durable import Role
    from averment.tables.catalog import Catalog
    from averment.workbench.datasets import Datasets


class OpenHome:
    """One home, open until it is closed; every part of a workbench works on the same one."""

    def __init__(
        self, home: str | Path | None = None, *, settings: Settings | None = None, role: Role | None = None
    ) -> None:
        self.settings = settings or load(flags={"home": None if home is None else Path(home)})
        self.services = Services(self.settings)
        self.agents = AgentFactory(self.services)
        self.runner = Runner(self.services, self.agents.agent_for_run, role=role)

    @cached_property
    def datasets(self) -> Datasets:
        """The owner's datasets."""
        from averment.workbench.datasets import Datasets

        return Datasets(self.services, self.published)

    def published(self, sources: Sources) -> AbstractContextManager[list[str]]:
        """The sources as any host can open them, published for the block where they are uploads of this home."""
        from averment.store.storage.uploads import published

        return published(self.services.store.files, self.settings.home, places_of(sources, self.settings.home))

    def open_sources(
        self, sources: Sequence[DataSource], read: dict[str, Any] | None, *, seconds: float | None = None
    ) -> Catalog:
        """The tables of sources, opened read-only as ``read`` says, within ``seconds`` where they are given.

        Raises:
            QueryTimeout: they are over.
            SourceError: one of them cannot be read.
        """
        from averment.tables.sources.opening import open_sources
        from averment.tables.sources.options import ReadOptions

        return open_sources(
            sources,
            settings=self.settings,
            cache_dir=self.services.store.cache_dir / "tables",
            options=ReadOptions.from_dict(read) if read else None,
            seconds=seconds,
        )

    def close(self) -> None:
        """Stop what is running here and close every part; unfinished runs can be resumed."""
        self.runner.close()
        self.services.close()


def listening(on_event: Listener | None) -> tuple[Listener, ...]:
    """Nobody, or the one who listens."""
    return () if on_event is None else (on_event,)
