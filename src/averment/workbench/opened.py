"""A home that is open: its services, the agents and the runner behind every part of the workbench."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from averment.crew import Crew
from averment.settings import Settings, load
from averment.spine.runner import Runner
from averment.spine.services import Services

if TYPE_CHECKING:
    from averment.records.analysis import DataSource
    from averment.spine.durable import Role
    from averment.store.users import UserStore
    from averment.tables.catalog import Catalog


class Opened:
    """One home, open until it is closed."""

    def __init__(
        self, home: str | Path | None = None, *, settings: Settings | None = None, role: Role | None = None
    ) -> None:
        self.settings = settings or load(flags={"home": None if home is None else Path(home)})
        self._services = Services(self.settings)
        self._crew = Crew(self._services)
        self._runner = Runner(self._services, self._crew.answering, role=role)

    @property
    def services(self) -> Services:
        """What the parts of this home share; for those who put the home together anew, as a user sees it."""
        return self._services

    def owns_upload(self, upload_id: str) -> bool:
        """Whether an upload is the caller's: the owner's are all."""
        _ = upload_id
        return True

    def claim_upload(self, upload_id: str) -> None:
        """Note whose an upload is; what nobody claims is the owner's."""
        _ = upload_id

    @property
    def users(self) -> UserStore:
        """The users of this home: ``add``, ``list``, ``revoke``."""
        from averment.store.users import UserStore

        return UserStore(self._services.database)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop what is running here and close every part; unfinished runs can be resumed."""
        self._runner.close()
        self._services.close()

    def _open(self, sources: Sequence[DataSource], read: dict[str, Any] | None) -> Catalog:
        from averment.tables.options import ReadOptions
        from averment.tables.sources import open_sources

        return open_sources(
            sources,
            settings=self.settings,
            cache_dir=self._services.cache_dir / "tables",
            options=ReadOptions.from_dict(read) if read else None,
        )
