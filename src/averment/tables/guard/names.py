"""Names in SQL: how each dialect compares them, and which known name a wrong one was probably meant to be."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from sqlglot import exp

from averment.tables.catalog import Dialect

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_CLOSE_ENOUGH = 0.6


def fold(name: str, dialect: Dialect, *, quoted: bool = True) -> str:
    """The form under which the engine compares a name: Postgres minds the case of quoted names, the others of none."""
    if dialect == "postgres":
        return name if quoted else name.lower()
    return name.casefold()


def fold_identifier(node: exp.Expr, dialect: Dialect) -> str:
    """The folded name of an identifier node."""
    return fold(node.name, dialect, quoted=bool(node.args.get("quoted")))


def name_parts(name: str) -> tuple[str, ...]:
    """The lower-case words of a name: ``orderTotal``, ``order_total`` and ``Order Total`` have the same."""
    return tuple(part.casefold() for part in _PART.findall(name))


def nearest_name(wrong: str, known: Iterable[str]) -> str | None:
    """The known name that ``wrong`` was most likely meant to be, or None when none is close."""
    parts = set(name_parts(wrong))
    plain = wrong.casefold()
    best: tuple[float, str] | None = None
    for candidate in sorted(known):
        others = set(name_parts(candidate))
        shared = len(parts & others) / len(parts | others) if parts and others else 0.0
        matcher = difflib.SequenceMatcher(None, plain, candidate.casefold())
        # The cheap upper bounds first: most candidates are far away, and hundreds of functions are candidates.
        far = matcher.real_quick_ratio() < _CLOSE_ENOUGH or matcher.quick_ratio() < _CLOSE_ENOUGH
        spelled = 0.0 if far else matcher.ratio()
        score = max(shared, spelled) + 0.1 * min(shared, spelled)
        if best is None or score > best[0]:
            best = (score, candidate)
    return best[1] if best is not None and best[0] >= _CLOSE_ENOUGH else None


def suggest_name(wrong: str, known: Iterable[str]) -> str:
    """A suggestion a reasoner can act on: the nearest known name, or what there is."""
    names = sorted(set(known))
    near = nearest_name(wrong, names)
    if near is not None:
        return f"did you mean `{near}`?"
    shown = ", ".join(f"`{name}`" for name in names[:12])
    return f"there is {shown}{', …' if len(names) > 12 else ''}" if names else "no table is open"
