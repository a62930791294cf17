"""Names for tables and columns: safe, unique, and every change told."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from pathlib import PurePath

from averment.tables.catalog import Note

MAX_NAME = 200
_INVISIBLE = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]"
)
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE")


def table_name(text: str) -> str:
    """A lower-case identifier from a file or sheet name; never empty, never starting with a digit."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")[:60]
    if not name:
        return "data"
    return f"t_{name}" if name[0].isdigit() else name


def file_table_name(path: str) -> str:
    """The table name that a file's own name gives."""
    return table_name(PurePath(path).name.split(".")[0] or PurePath(path).stem)


def unique_name(name: str, taken: Iterable[str]) -> str:
    """The name, or the name with the first number that makes it unique; letter case does not tell names apart."""
    known = {item.casefold() for item in taken}
    if name.casefold() not in known:
        return name
    number = 2
    while f"{name}_{number}".casefold() in known:
        number += 1
    return f"{name}_{number}"


def column_names(originals: list[str]) -> tuple[list[str], list[Note]]:
    """Names for the columns and a note for each that was changed or looks like another."""
    names: list[str] = []
    notes: list[Note] = []
    for index, original in enumerate(originals):
        name = _clean(original, index, notes)
        if name is None:
            name = unique_name(f"column_{index + 1}", names)
            notes.append(
                Note(code="blank_header", message=f"Column {index + 1} has no name; called {name}.", column=name)
            )
        unique = unique_name(name, names)
        if unique != name:
            message = f"The name {name!r} occurs again; column {index + 1} is called {unique}."
            notes.append(Note(code="duplicate_header", message=message, column=unique))
        scripts = _mixed_scripts(unique)
        if scripts:
            message = f"The name mixes {' and '.join(scripts)} letters; it may look like another name."
            notes.append(Note(code="confusable_header", message=message, column=unique))
        names.append(unique)
    return names, notes


def _clean(original: str, index: int, notes: list[Note]) -> str | None:
    spaced = re.sub(r"[\t\r\n]+", " ", original)
    visible = _INVISIBLE.sub("", spaced)
    name = re.sub(r"  +", " ", visible).strip() if spaced != original else visible.strip()
    if visible != spaced:
        message = f"Invisible characters were removed from the name of column {index + 1}."
        notes.append(Note(code="invisible_characters", message=message, column=name[:MAX_NAME] or None))
    if len(name) > MAX_NAME:
        notes.append(
            Note(code="long_header", message=f"The name of column {index + 1} was cut.", column=name[:MAX_NAME])
        )
        name = name[:MAX_NAME].strip()
    return name or None


def _mixed_scripts(name: str) -> list[str]:
    """The scripts in one word of the name when there is more than one."""
    for word in re.findall(r"[^\W\d_]+", name):
        found = {script for letter in word for script in _SCRIPTS if unicodedata.name(letter, "").startswith(script)}
        if len(found) > 1:
            return sorted(script.capitalize() for script in found)
    return []
