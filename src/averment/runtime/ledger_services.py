"""The ledgers of one home: its own, for writing or for reading alone, and its way to the other hosts of a database."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from averment.settings import Settings

if TYPE_CHECKING:
    from averment.ledger.view import LedgerView
    from averment.ledger.writer import Ledger
    from averment.runtime.replication import LedgerReplication
    from averment.runtime.store_services import StoreServices


class LedgerServices:
    """The permanent record of one home, opened when first needed."""

    def __init__(self, settings: Settings, store: StoreServices) -> None:
        self._settings = settings
        self._store = store
        self._lock = threading.RLock()
        self._own: Ledger | None = None
        self._gathering: LedgerReplication | None = None

    @property
    def own(self) -> Ledger:
        """The ledger that this home writes."""
        from averment.ledger.pins import Pins
        from averment.ledger.writer import Ledger

        settings = self._settings
        with self._lock:
            if self._own is None:
                path = settings.ledger_path
                is_new = not path.exists()
                self._own = Ledger.open(path, keys_dir=settings.keys, origin=settings.ledger_name)
                Pins(settings.pins).put(path, self._own.key, anew=is_new)
            return self._own

    @property
    def view(self) -> LedgerView:
        """The ledger of this home for reading: it needs no key, and makes nothing."""
        from averment.ledger.view import LedgerView

        with self._lock:
            return self._own or LedgerView(self._settings.ledger_path.absolute())

    @property
    def gathering(self) -> LedgerReplication | None:
        """The ledger's way to the other hosts of a shared database; None where the database is the home's own."""
        if not self._settings.database_url:
            return None
        from averment.ledger.identity import writer_of
        from averment.runtime.replication import LedgerReplication
        from averment.store.replication.ledger_copies import LedgerStore

        with self._lock:
            if self._gathering is None:
                writer = writer_of(self._settings.ledger_path, self._settings.ledger_writer)
                self._gathering = LedgerReplication(
                    self.own, LedgerStore(self._store.database), self._store.runs, writer
                )
            return self._gathering

    def close(self) -> None:
        """Close the ledger, then the way to the others."""
        with self._lock:
            for part in (self._own, self._gathering):
                if part is not None:
                    part.close()
            self._own = self._gathering = None
