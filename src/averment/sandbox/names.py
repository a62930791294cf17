"""Which file names may cross the border of a jail, in either direction."""

from __future__ import annotations

MAX_NAME_BYTES = 150
_REFUSED = frozenset('\\/:*?"<>|\0')


def is_plain_name(name: str) -> bool:
    """Whether a name is harmless on every file system, in a terminal and in a page.

    Printable characters only, no path separators or shell wildcards, no leading dot or dash, no blank at either end.
    """
    try:
        size = len(name.encode("utf-8"))
    except UnicodeEncodeError:
        return False
    return (
        0 < size <= MAX_NAME_BYTES
        and name.isprintable()
        and not _REFUSED.intersection(name)
        and name[0] not in ".-~"
        and name == name.strip(" .")
    )
