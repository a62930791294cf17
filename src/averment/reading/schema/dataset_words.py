"""What a word is said to mean in one dataset: a column by its name, or whatever the reader understands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.plans.meaning import Meaning
from averment.plans.plan import Value
from averment.reading.understand import understand

if TYPE_CHECKING:
    from averment.reading.schema.schema_view import Schema

LONGEST = 100


def understood(word: str, means: str, schema: Schema) -> Meaning | None:
    """The meaning; None where there is no word, or where the text cannot be read as a meaning over these tables."""
    plain, said = " ".join(word.casefold().split()), means.strip()
    if not plain or len(plain) > LONGEST or not said:
        return None
    columns = [column for column in schema.columns if column.expression is None]
    named = [c for c in columns if said.casefold() in {c.name.casefold(), f"{c.table}.{c.name}".casefold()}]
    if len(named) == 1:
        return Meaning(word=plain, kind="column", value=Value(table=named[0].table, column=named[0].name))
    # What a word means may lean on words taught before, but not on itself.
    schema.taught = tuple(each for each in schema.taught if each.word != plain)
    found = understand(plain, said, schema)
    return None if found is None else found.changed(word=plain)
