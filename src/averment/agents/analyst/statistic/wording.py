"""The text of a question as the readers need it: its sentences, its columns, and what it asks back."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from averment.agents.analyst.statistic.asked import Asked, decimal_places, split_asked
from averment.agents.analyst.statistic.columns import Columns
from averment.language.tokens import STOP_WORDS

_BREAK = re.compile(
    r"(?<!\bInc\.)(?<!\bCo\.)(?<!\bvs\.)(?<!e\.g\.)(?<!i\.e\.)(?<=[.!?;])\s+(?=[A-Z\"'@{\-\d])|"
    r"\s*\n+\s*(?:[-•*]\s*|\d+[.)]\s+)?|;\s+"
)
_ALIAS = re.compile(
    r"(?P<words>(?:[A-Za-z][\w&.]*[ ,]+){1,5})\(\s*[\"'“‘]?(?P<name>[^()\"'”’]{1,40}?)[\"'”’]?(?: column)?\s*\)"
)
_NUMBERING = re.compile(r"^\s*(?:\d+[.)]|[-•*{}])\s*")


_PLAIN = STOP_WORDS | frozenset("mean average median column value values distribution correlation outliers".split())


@dataclass
class Wording:
    """What was said; ``read`` collects the places that found a meaning."""

    text: str
    columns: Columns
    body: str = ""
    asked: list[Asked] = field(default_factory=list[Asked])
    sentences: list[str] = field(default_factory=list[str])
    read: set[int] = field(default_factory=set[int])

    @classmethod
    def of(cls, text: str, columns: Columns) -> Wording:
        """The text taken apart."""
        body, asked = split_asked(text)
        columns.spell(body)
        for found in _ALIAS.finditer(body):
            target = columns.named(found["name"])
            said = [word for word in found["words"].replace(",", " ").split() if word.lower() not in _PLAIN]
            if len(target) == 1 and len(columns.named(found["words"])) == 0:
                columns.call(target[0], " ".join(said[-2:]))
        sentences = [_NUMBERING.sub("", part).strip() for part in _BREAK.split(body)]
        return cls(text, columns, body, asked, [one for one in sentences if re.search(r"\w", one)])

    @property
    def folded(self) -> str:
        """The body in small letters."""
        return self.body.lower()

    def says(self, pattern: str) -> bool:
        """Whether the body says it."""
        return re.search(pattern, self.folded) is not None

    def places(self, asked: Asked) -> int | None:
        """The decimal places of a value: its own, else those said for all."""
        own = asked.places()
        if own is not None:
            return own
        legend = decimal_places(self.text[len(self.body) :])
        return legend if legend is not None else decimal_places(self.body)

    def sentences_with(self, pattern: str) -> list[tuple[int, str]]:
        """Sentences in which a pattern is found, with their places."""
        return [(place, one) for place, one in enumerate(self.sentences) if re.search(pattern, one, re.IGNORECASE)]
