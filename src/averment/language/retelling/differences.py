"""What a retelling changed, in words that help to write it again."""

from __future__ import annotations

from averment.language.retelling.sentence_parts import CLAUSES, MODALS, PREPOSITIONS, QUANTIFIERS
from averment.language.retelling.synonyms import Words, words_of

_NEGATIONS = frozenset("not never no none nor neither without".split())


def difference(text: str, source: str) -> str:
    """The first thing that sets a retelling apart from its sentence, told for whoever writes it again."""
    said, given = words_of(text), words_of(source)
    for what, chosen in (
        ("numbers", [word for word in (*said, *given) if word[:1].isdigit()]),
        ("negation", _NEGATIONS),
        ("what must, may or will be", MODALS),
        ("conditions", CLAUSES | {"only", "except"}),
        ("how many it is said of", QUANTIFIERS),
        ("prepositions", PREPOSITIONS | {"of"}),
    ):
        if _counted(said, chosen) != _counted(given, chosen):
            return f"it does not keep the {what} of its sentence" if " " not in what else f"it changes {what}"
    added = [word for word in said if word.isalnum() and word not in given]
    if added:
        return "it uses words that its sentence does not"
    return "it says who does what, or what belongs to what, in another way than its sentence"


def _counted(words: Words, chosen: object) -> list[str]:
    kept = set(chosen) if isinstance(chosen, (list, frozenset)) else set[str]()
    return sorted(word for word in words if word in kept)
