"""The records of a home as one of its users may see them on a page: those of their own runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from averment.errors import PolicyError
from averment.workbench.for_user import UserBench

if TYPE_CHECKING:
    from averment.operations import Operations, Upload
    from averment.workbench.datasets import Datasets


class UserOperations:
    """An archive that asks first whose a run is; what is not listed here is the owner's."""

    def __init__(self, archive: Operations, bench: UserBench) -> None:
        self._archive = archive
        self._bench = bench

    def __getattr__(self, name: str) -> Any:
        raise PolicyError(f"Only the owner of this home can use {name}.", hint="Sign in with the server's own token.")

    def row(self, run_id: str) -> Any:
        """The row of a run of the user's."""
        return self._archive.row(self._bench.show(run_id).id)

    def sources_of(self, row: Any) -> tuple[str, ...]:
        """Where the sources of a run of the user's are."""
        self._bench.show(row.run_id)
        return self._archive.sources_of(row)

    def source_names(self, row: Any) -> tuple[str, ...]:
        """The names of the sources of a run of the user's."""
        self._bench.show(row.run_id)
        return self._archive.source_names(row)

    def clear_uploads(self, sources: Iterable[str]) -> None:
        """Take away uploads that nothing names any more; the user's own thread has just let go of them."""
        self._archive.clear_uploads(sources)

    def remove_dataset(self, datasets: Datasets, name: str) -> None:
        """Take a dataset off the user's own list, and its upload away where nothing else uses it."""
        self._archive.remove_dataset(datasets, name)

    def rounds(self, run_id: str) -> Any:
        """The rounds of a run of the user's."""
        return self._archive.rounds(self._bench.show(run_id).id)

    def export(self, run_id: str, to: str) -> bytes:
        """A run of the user's as a file."""
        return self._archive.export(self._bench.show(run_id).id, to)

    def hear(self, text: str) -> Any:
        """What a text wants; nothing is looked up for it."""
        return self._archive.hear(text)

    def has_documents(self) -> bool:
        """Whether there is a corpus to ask; it is shared by all."""
        return self._archive.has_documents()

    def add_documents(self, uploads: Sequence[Upload]) -> Any:
        """The corpus is the owner's to fill."""
        _ = uploads
        return self.__getattr__("the corpus")
