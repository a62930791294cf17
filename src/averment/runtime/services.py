"""What every run shares in one process, in groups: the store, the ledgers, the tools and the texts of one home.

Whoever needs one group takes that group; each part of it is opened when it is first needed.
"""

from __future__ import annotations

from averment.runtime.service_groups import LedgerServices, StoreServices, TextServices, ToolServices
from averment.settings import Settings


class Services:
    """The open parts of one home; closing it closes all of them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = StoreServices(settings)
        """What may change: the database, runs, files, artifacts, recipes, tasks, conversations …"""
        self.ledgers = LedgerServices(settings, self.store)
        """What stays: the home's own ledger, and its way to other hosts."""
        self.tools = ToolServices(settings)
        """What runs call: the registry of tools, their slots, and the jail."""
        self.texts = TextServices(self.store)
        """What is searched: the corpus and the embedder."""

    def close(self) -> None:
        """Close whatever was opened."""
        self.texts.close()
        self.tools.close()
        self.ledgers.close()
        self.store.close()
