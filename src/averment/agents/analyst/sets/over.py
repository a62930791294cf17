"""Sets of values over two tables: those in both, in either, or in the one and not in the other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from averment.agents.analyst.sets.reading import Member, SetReading
from averment.language.tokens import split_words

if TYPE_CHECKING:
    from averment.agents.analyst.parts.draft import Draft

_LEAD = (
    r"^(?:please )?(?:(?:list(?! of)|show|give|find|which|what|get)(?: me)?(?: are)? )?"
    r"(?P<many>how many |the number of )?"
    r"(?:the )?(?:(?:full |complete )?list of )?(?:all )?(?:the )?(?:different |distinct |unique )?"
)
_IN = r"(?:that |which )?(?:are |is |appear |appears |occur |found |exist )*(?:there )?in "
_TAIL = r"(?: tables?)?\s*[?.]?\s*$"
_FORM = re.compile(
    rf"{_LEAD}(?P<noun>[\w ]+?) {_IN}(?P<both>both |either )?(?:the )?(?P<one>\w+)(?: table)?"
    rf"(?P<how>,? (?:and|or|but not|and not|but never)(?: also)?)(?: in)? (?:the )?(?P<two>\w+){_TAIL}"
)


def read_over_tables(drafts: list[Draft]) -> SetReading | None:
    """The values of one column that two tables have, as a question names them; None when it asks for no such thing."""
    if len(drafts) < 2:
        return None
    found = _FORM.match(drafts[0].folded)
    if found is None:
        return None
    one, two = (_table(drafts, found[part]) for part in ("one", "two"))
    if one is None or two is None or one is two:
        return None
    name, other = _column(one, found["noun"]), _column(two, found["noun"])
    if name is None or other is None or name != other:
        return None
    counted = found["many"] is not None
    base = SetReading(table=one.profile.table, column=name, key=name, counted=counted)
    member = Member(table=two.profile.table, key=other)
    if "not" in found["how"] or "never" in found["how"]:
        return base.model_copy(update={"outside": (member,)})
    if found["both"] == "both " or "also" in found["how"]:
        return base.model_copy(update={"inside": (member,)})
    return base.model_copy(update={"also": two.profile.table})


def _table(drafts: list[Draft], words: str) -> Draft | None:
    said = [word.stem for word in split_words(words)]
    named = [draft for draft in drafts if [word.stem for word in split_words(draft.profile.table)] == said]
    return named[0] if len(named) == 1 else None


def _column(draft: Draft, words: str) -> str | None:
    said = [word.stem for word in split_words(words)]
    named = [c.name for c in draft.profile.columns if [word.stem for word in split_words(c.name)] == said]
    return named[0] if len(named) == 1 else None
