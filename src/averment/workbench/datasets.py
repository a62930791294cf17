"""Datasets: sources that stay, kept by name, described column by column, and asked many times.

Each user has datasets of their own. ``dataset:NAME`` names one wherever a source of an analysis is named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from averment.errors import InvalidRequest, PolicyError, SourceNotFound, UnsupportedSource
from averment.records.base import new_id
from averment.records.dataset import ColumnNote, Dataset, Origin
from averment.records.dataset import Datasets as Found
from averment.runtime.sources import absolute
from averment.store.chat.tasks import LOCAL_USER
from averment.store.storage.uploads import UPLOADS, upload_of
from averment.workbench.dataset_look import DatasetLook
from averment.workbench.given import Sources, places_of

if TYPE_CHECKING:
    from averment.runtime.run_json import KnownBefore
    from averment.runtime.services import Services
    from averment.settings import Settings
    from averment.store.knowledge.datasets import DatasetStore
    from averment.tables.catalog import Catalog

NAMED = "dataset:"
"""How a source begins that is a dataset's name."""

MOST_BYTES = 50 * 1024 * 1024
MOST_MEANINGS = 200
_NAME = re.compile(r"[^\W_][\w .()-]{0,79}")

Publish = Callable[[Sources], AbstractContextManager[list[str]]]


class Datasets:
    """The datasets of one user of a home."""

    def __init__(self, services: Services, publish: Publish, *, user_id: str = LOCAL_USER) -> None:
        self._services = services
        self._publish = publish
        self._user_id = user_id
        self.look = DatasetLook(services)
        """What a dataset holds: its columns, rows, suggested questions, completions, plans from a form."""

    @property
    def _settings(self) -> Settings:
        return self._services.settings

    @property
    def _store(self) -> DatasetStore:
        from averment.store.knowledge.datasets import DatasetStore

        return DatasetStore(self._services.store.database)

    def add(
        self,
        sources: Sources,
        *,
        name: str | None = None,
        description: str = "",
        read: Mapping[str, Any] | None = None,
        origin: Origin = "place",
    ) -> Dataset:
        """Keep sources by name; they are opened first, so that what cannot be read is not kept.

        A file is asked where it lies; an ``http`` address is fetched once and kept in the home.

        Raises:
            SourceError: one of them cannot be read.
            InvalidRequest: the name cannot be one.
            StoreConflict: there is a dataset of that name.
        """
        given = [sources] if isinstance(sources, str | Path) else sources
        if isinstance(given, Sequence) and any(str(one).startswith(("http://", "https://")) for one in given):
            given, origin = [self._fetched(str(one)) if "://" in str(one) else one for one in given], "web"
        wanted = checked_name(name) if name else None
        with self._publish(given) as places:
            catalog = self.look.open(places, dict(read) if read else None)
            # A database's location without its password, which is never written down.
            kept = tuple(
                one.location if "://" in one.location else place
                for one, place in zip(catalog.sources, places, strict=True)
            )
            draft = Dataset(
                user_id=self._user_id,
                name=wanted or self._free_name(catalog.tables[0].name if catalog.tables else "data"),
                places=kept,
                origin=origin,
                description=description.strip()[:500],
                read=dict(read) if read else None,
            )
            if self._user_id != LOCAL_USER:
                self._claim(kept)
            return self._store.save(draft)

    def _claim(self, places: Sequence[str]) -> None:
        """Note that uploads are this user's, so that they may name them wherever uploads are named."""
        from averment.store.chat.users import UserStore

        for place in places:
            upload = upload_of(self._services.store.files, self._settings.home, place)
            if upload is not None:
                UserStore(self._services.store.database).claim("upload", upload, self._user_id)

    def connect(self, place: str, **more: Any) -> Dataset:
        """Keep a place that somebody typed into a form: a database, an address, or a file below ``data_folders``.

        Raises:
            PolicyError: it is the owner's to connect, or the file lies elsewhere.
        """
        if self._user_id != LOCAL_USER:
            raise PolicyError("Only the owner of this home can connect a location.", hint="Upload the file instead.")
        text = place.strip()
        if not text:
            raise InvalidRequest("Give the location of the data.", details={"field": "place"})
        if "://" in text and not text.startswith("file://"):
            return self.add([text], **more)
        path = Path(text.removeprefix("file://")).expanduser().resolve()
        roots = [Path(folder).expanduser().resolve() for folder in self._settings.data_folders]
        home = self._settings.home.resolve()
        if not any(path.is_relative_to(root) for root in roots) or path.is_relative_to(home):
            raise PolicyError(
                f"{path.name} is outside the folders that may be connected from here.",
                hint="Set data_folders in averment.toml, upload the file, or use `averment data add`.",
            )
        return self.add([path], **more)

    def list(self) -> Found:
        """Every dataset of this user, by name; the owner's settings are among them."""
        self._take_settings()
        return self._store.list(self._user_id)

    def get(self, name: str) -> Dataset:
        """The dataset of that name or id.

        Raises:
            SourceNotFound: this user has none of that name.
        """
        found = self._store.find(self._user_id, name)
        if found is None and self._take_settings():
            found = self._store.find(self._user_id, name)
        if found is None:
            raise SourceNotFound(f"There is no dataset {name!a}.", hint="See `averment data list`.")
        return found

    def rename(self, name: str, to: str) -> Dataset:
        """The dataset under another name.

        Raises:
            StoreConflict: there is one of that name already.
        """
        return self._store.save(self.get(name).changed(name=checked_name(to)))

    def describe(self, name: str, description: str) -> Dataset:
        """Say in a sentence what a dataset is."""
        return self._save(self.get(name), description=description.strip())

    def describe_column(self, name: str, column: str, **said: Any) -> Dataset:
        """Say what a column is: ``label``, ``description``, ``role`` or ``unit``; what is not given stays.

        ``column`` is ``table.column``, or the column alone where the dataset has one table.

        Raises:
            MissingColumn, MissingTable: there is no such column.
            InvalidRequest: a value cannot be used, such as a role that there is not, or no value is a number.
        """
        dataset = self.get(name)
        place = self.look.place_of(dataset, column)
        before = dataset.columns.get(place, ColumnNote())
        given = {
            key: value.strip() if isinstance(value, str) else value for key, value in said.items() if value is not None
        }
        given = {key: (value or None) if key == "role" else value for key, value in given.items()}
        unknown = sorted(set(given) - set(ColumnNote.model_fields))
        if unknown:
            raise InvalidRequest(f"A column has no {unknown[0]}.", hint=f"Known: {', '.join(ColumnNote.model_fields)}.")
        try:
            note = before.changed(**given)
        except ValidationError as error:
            wrong = error.errors()[0]
            raise InvalidRequest(f"The {wrong['loc'][0]} of a column is not valid: {wrong['msg']}.") from error
        if "role" in given:
            dataset = self._read_as(dataset, place, measure=note.role == "measure")
        notes = {**dataset.columns, place: note}
        return self._save(dataset, columns={key: each for key, each in notes.items() if not each.is_empty})

    def _read_as(self, dataset: Dataset, place: str, *, measure: bool) -> Dataset:
        """The dataset with a column of text read as numbers, whose other values count as missing, or no longer so."""
        from averment.tables.read.staging import why_text
        from averment.tables.sources.options import ReadOptions

        table, _, name = place.rpartition(".")
        read = dict(dataset.read or {})
        info = self.look.open(dataset.places, read).table(table)
        key = ReadOptions.measure_key(info.source, info.origin[-1] if info.origin else table, name)
        others = set(read.pop("measures", ())) - {key}
        plain = {**read, "measures": sorted(others)} if others else read
        if not measure or not _is_text(self.look.open(dataset.places, plain), table, name):
            return dataset.changed(read=plain or None)
        forced = {**read, "measures": sorted({*others, key})}
        catalog = self.look.open(dataset.places, forced)
        if _is_text(catalog, table, name):
            notes = [note for note in catalog.notes if (note.table, note.column) == (table, name)]
            why = next((said for note in notes if (said := why_text(note))), "none of its values is a number")
            raise InvalidRequest(
                f"{name} cannot be a measure: {why}.",
                hint="Correct the values in the source.",
                details={"column": place},
            )
        return dataset.changed(read=forced)

    def teach(self, name: str, word: str, means: str) -> Dataset:
        """Teach what a word means in this dataset: a column, a formula, a condition or values of one column.

        Raises:
            InvalidRequest: that cannot be read as a meaning here; nothing is kept.
        """
        dataset = self.get(name)
        meaning = self.look.understood(dataset, word, means)
        if meaning is None:
            raise InvalidRequest(
                f"{means.strip()!a} cannot be read as a meaning over {dataset.name}, so nothing was stored.",
                hint="Name a column, a formula, a condition, or values of one column.",
            )
        others = tuple(each for each in dataset.meanings if each.get("word") != meaning.word)
        if len(others) >= MOST_MEANINGS:
            raise InvalidRequest(f"A dataset can have at most {MOST_MEANINGS} taught words.")
        return self._save(dataset, meanings=(meaning.to_json(), *others))

    def forget_word(self, name: str, word: str) -> Dataset:
        """Forget what a word was taught to mean in a dataset.

        Raises:
            SourceNotFound: it was not taught.
        """
        dataset = self.get(name)
        left = tuple(each for each in dataset.meanings if each.get("word") != word)
        if len(left) == len(dataset.meanings):
            raise SourceNotFound(f"The dataset {dataset.name} has no taught word {word!a}.")
        return self._save(dataset, meanings=left)

    def remove(self, name: str) -> None:
        """Take a dataset off the list; runs over it stay, and a file that was connected in its place stays where it is.

        Raises:
            SourceNotFound: there is none of that name.
            InvalidRequest: the settings name it.
        """
        dataset = self.get(name)
        if dataset.origin == "settings" and dataset.name in self._settings.datasets:
            raise InvalidRequest("That dataset is defined in averment.toml.", hint="Remove it from the settings file.")
        self._store.remove(self._user_id, dataset.dataset_id)

    def resolve(self, sources: Sources) -> tuple[Sources, Dataset | None]:
        """Sources with every ``dataset:NAME`` replaced by its places, and the dataset that they are, if they are one.

        Places that are kept as a dataset are that dataset, however they are named: they are read as they are described.

        Raises:
            SourceNotFound: this user has none of that name.
            InvalidRequest: two are named at once.
        """
        given = [sources] if isinstance(sources, str) else sources
        if not isinstance(given, list | tuple):
            return sources, None
        named = [str(one)[len(NAMED) :] for one in given if isinstance(one, str) and one.startswith(NAMED)]
        if not named:
            return sources, self._kept_as(given)
        if len(named) > 1:
            raise InvalidRequest("A question can use only one dataset.", hint="Store the files as one dataset.")
        dataset = self.get(named[0])
        places: list[Any] = []
        for one in given:
            places += dataset.places if isinstance(one, str) and one.startswith(NAMED) else [one]
        if dataset.origin == "settings":
            self._remember_passwords(dataset)
        return places, dataset

    def _kept_as(self, given: Sequence[Any]) -> Dataset | None:
        """The dataset whose places these are, the latest described first."""
        if not given or not all(isinstance(one, str | Path) for one in given):
            return None
        places = tuple(absolute(one) for one in given)
        same = [one for one in self._store.list(self._user_id) if one.places == places]
        return max(same, key=lambda one: one.updated_at, default=None)

    def known_to(self, meaning: KnownBefore | None, dataset: Dataset | None) -> KnownBefore | None:
        """What is known of a question, with what is said of the dataset it asks as it is said now."""
        if dataset is None and meaning is not None and "dataset" in meaning:
            dataset = self._store.find(self._user_id, str(meaning["dataset"].get("id", "")))
        if dataset is None:
            return meaning
        return {**(meaning or {}), "dataset": dataset.said()}

    def _save(self, dataset: Dataset, **changes: Any) -> Dataset:
        try:
            return self._store.save(dataset.changed(**changes))
        except ValidationError as error:
            wrong = error.errors()[0]
            raise InvalidRequest(f"{wrong['loc'][0]}: {wrong['msg']}.") from error

    def _free_name(self, wanted: str) -> str:
        taken = {one.name for one in self._store.list(self._user_id)}
        number, name = 1, wanted[:80]
        while name in taken:
            number += 1
            name = f"{wanted[:74]}_{number}"
        return name

    def _take_settings(self) -> bool:
        """Keep what the settings name, so that it can be described; whether anything is new."""
        if self._user_id != LOCAL_USER or not self._settings.datasets:
            return False
        known = {one.name: one for one in self._store.list(self._user_id)}
        new = False
        for name, place in self._settings.datasets.items():
            places = tuple(self._remembered(one) for one in places_of([place], self._settings.home))
            there = known.get(name)
            if there is not None and there.places == places:
                continue
            draft = there or Dataset(user_id=self._user_id, name=checked_name(name), places=places, origin="settings")
            self._store.save(draft.changed(places=places, origin="settings"))
            new = True
        return new

    def _remember_passwords(self, dataset: Dataset) -> None:
        self._remembered(self._settings.datasets.get(dataset.name, ""))

    def _remembered(self, place: str) -> str:
        """A place as it is kept: the password of a server's address is remembered apart from it."""
        from averment.tables.sources.locations import is_postgres, is_spark, remember_url

        return remember_url(place) if is_postgres(place) or is_spark(place) else place

    def _fetched(self, address: str) -> Path:
        """The file at an address, kept among the uploads of this home."""
        from averment.corpus.providers.choose import open_downloads
        from averment.tables.sources.source_kinds import table_suffixes

        name = re.sub(r"[^A-Za-z0-9_.-]+", "_", Path(urlsplit(address).path).name)[-80:]
        if "." not in name:
            raise UnsupportedSource(
                "The address does not show the file format.",
                hint=f"Give an address that ends in {', '.join(table_suffixes())}.",
            )
        page = open_downloads(self._settings, most_bytes=MOST_BYTES).fetch(address)
        folder = self._settings.home.resolve() / UPLOADS / new_id()
        folder.mkdir(mode=0o700, parents=True)
        target = folder / name
        target.write_bytes(page.content)
        return target


def _is_text(catalog: Catalog, table: str, name: str) -> bool:
    column = catalog.table(table).column(name)
    return column is not None and column.type == "VARCHAR"


def checked_name(name: str) -> str:
    """A dataset's name without blanks around it.

    Raises:
        InvalidRequest: it cannot be one.
    """
    plain = " ".join(name.split())
    if not _NAME.fullmatch(plain):
        raise InvalidRequest(
            "That is not a valid dataset name.",
            hint="Start with a letter or digit; use up to 80 letters, digits, blanks and . _ - ( ).",
        )
    return plain
