"""The ledgers of one home: its own, for writing or for reading alone, and its way to the other hosts of a database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.runtime.once import LazyParts, once
from averment.settings import Settings

if TYPE_CHECKING:
    from averment.ledger.view import LedgerView
    from averment.ledger.writer import Ledger
    from averment.runtime.replication import LedgerReplication
    from averment.runtime.store_services import StoreServices


class LedgerServices(LazyParts):
    """The permanent record of one home, opened when first needed."""

    def __init__(self, settings: Settings, store: StoreServices) -> None:
        super().__init__()
        self._settings = settings
        self._store = store

    @property
    @once
    def own(self) -> Ledger:
        """The ledger that this home writes."""
        from averment.ledger.pins import Pins
        from averment.ledger.writer import Ledger

        settings = self._settings
        path = settings.ledger_path
        is_new = not path.exists()
        own = Ledger.open(path, keys_dir=settings.keys, origin=settings.ledger_name)
        try:
            Pins(settings.pins).put(path, own.key, anew=is_new)
        except BaseException:
            own.close()
            raise
        return own

    @property
    def view(self) -> LedgerView:
        """The ledger of this home for reading: it needs no key, and makes nothing."""
        from averment.ledger.view import LedgerView

        with self._lock:
            return self.own if "own" in self._opened else LedgerView(self._settings.ledger_path.absolute())

    @property
    @once
    def replication(self) -> LedgerReplication | None:
        """The ledger's way to the other hosts of a shared database; None where the database is the home's own."""
        if not self._settings.database_url:
            return None
        from averment.ledger.identity import writer_of
        from averment.runtime.replication import LedgerReplication
        from averment.store.replication.ledger_copies import LedgerStore

        writer = writer_of(self._settings.ledger_path, self._settings.ledger_writer)
        return LedgerReplication(self.own, LedgerStore(self._store.database), self._store.runs, writer)
