"""The datasets of a home, each its user's own, found by name or id."""

from __future__ import annotations

from sqlalchemy import RowMapping, select
from sqlalchemy.exc import IntegrityError

from averment.errors import StoreConflict
from averment.records.base import iso_z, utc_now
from averment.records.dataset import Dataset, Datasets
from averment.store.db.database import Database
from averment.store.db.text import from_json, plain, to_json
from averment.store.schema.knowledge_tables import DATASETS


class DatasetStore:
    """What datasets there are."""

    def __init__(self, database: Database) -> None:
        self._link = database.link

    def save(self, dataset: Dataset) -> Dataset:
        """Keep a dataset in place of the one of the same id; the kept one.

        Raises:
            StoreConflict: another dataset of the same user has that name.
        """
        kept = dataset.changed(updated_at=utc_now())
        row = {
            "dataset_id": kept.dataset_id,
            "user_id": kept.user_id,
            "name": plain(kept.name, "name"),
            "body": to_json(kept.model_dump(mode="json")),
            "created_at": iso_z(kept.created_at),
            "updated_at": iso_z(kept.updated_at),
        }
        try:
            with self._link.write() as connection:
                connection.execute(DATASETS.delete().where(DATASETS.c.dataset_id == kept.dataset_id))
                connection.execute(DATASETS.insert().values(row))
        except IntegrityError as error:
            raise StoreConflict(
                f"There is already a dataset named {kept.name}.", hint="Choose another name."
            ) from error
        return kept

    def find(self, user_id: str, name: str) -> Dataset | None:
        """The dataset of that user with that name or id, or None."""
        wanted = plain(name, "name")
        query = select(DATASETS).where(
            (DATASETS.c.user_id == user_id) & ((DATASETS.c.name == wanted) | (DATASETS.c.dataset_id == wanted))
        )
        row = self._link.first(query)
        return None if row is None else _dataset(row)

    def list(self, user_id: str | None = None) -> Datasets:
        """Every dataset of a user, by name; of all users where none is named."""
        query = select(DATASETS).order_by(DATASETS.c.name, DATASETS.c.dataset_id)
        if user_id is not None:
            query = query.where(DATASETS.c.user_id == user_id)
        return [_dataset(row) for row in self._link.rows(query)]

    def remove(self, user_id: str, dataset_id: str) -> bool:
        """Delete a dataset of that user; whether there was one."""
        same = (DATASETS.c.user_id == user_id) & (DATASETS.c.dataset_id == plain(dataset_id, "dataset id"))
        return bool(self._link.change(DATASETS.delete().where(same)))


def _dataset(row: RowMapping) -> Dataset:
    return Dataset.model_validate(from_json(row["body"]))
