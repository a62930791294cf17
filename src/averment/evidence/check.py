"""The checker: reads a finished text and refuses any number or quotation that no evidence covers.

Covered are the texts of slots, the user's own words, and ordinals. Numbers written as words count as numbers, so that
prose from a model cannot slip "forty percent" past the gate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from averment.errors import UnboundNumber, UnboundQuote
from averment.evidence.values import as_decimal

_NUMBER = re.compile(
    r"(?<![\w.])[-+−]?[$€£]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?(?:\s?%|(?:st|nd|rd|th)\b|[kKmMbB]\b)?"
)
_ISO_DATE = re.compile(r"\b\d{4}-\d{2}(?:-\d{2})?(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?)?\b")
_DIGITS_IN_WORD = re.compile(r"\b[^\W\d_]+[\w-]*\d[\w-]*\b")
_WORD = (
    r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    r"|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion"
    r"|trillion|dozen|half|twice|double|triple)"
)
_NUMBER_WORD = re.compile(rf"\b{_WORD}(?:[- ]{_WORD})*\b", re.IGNORECASE)
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
_QUOTE = re.compile(r"[“\"]([^“”\"\n]{3,})[”\"]")


@dataclass(frozen=True)
class TextToken:
    """A number or quotation as it stands in a text."""

    text: str
    start: int
    end: int


def numbers_in(text: str) -> list[TextToken]:
    """Every number a reader would see in the text, written in digits or in words, in order."""
    spans: list[TextToken] = []
    taken: list[tuple[int, int]] = []
    for pattern in (_ISO_DATE, _DIGITS_IN_WORD, _NUMBER, _NUMBER_WORD):
        for match in pattern.finditer(text):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            taken.append((match.start(), match.end()))
            spans.append(TextToken(text=match.group(0), start=match.start(), end=match.end()))
    return sorted(spans, key=lambda token: token.start)


def quotes_in(text: str) -> list[TextToken]:
    """Every quotation of two words or more."""
    found = [TextToken(text=m.group(1), start=m.start(1), end=m.end(1)) for m in _QUOTE.finditer(text)]
    return [token for token in found if " " in token.text.strip()]


def uncovered_numbers(text: str, *, covered: Iterable[str], own_words: str) -> list[TextToken]:
    """The numbers in the text that neither evidence nor the user's words hold."""
    allowed = {_normal(token.text) for source in (*covered, own_words) for token in numbers_in(source)}
    allowed |= {_normal(source) for source in covered}
    return [
        token for token in numbers_in(text) if _normal(token.text) not in allowed and not _ORDINAL.fullmatch(token.text)
    ]


def uncovered_quotes(text: str, *, covered: Iterable[str], own_words: str) -> list[TextToken]:
    """The quotations in the text that neither evidence nor the user's words hold."""
    sources = [_folded(source) for source in (*covered, own_words)]
    return [token for token in quotes_in(text) if not any(_folded(token.text) in source for source in sources)]


def check_text(text: str, *, covered: Iterable[str], own_words: str) -> None:
    """Pass a text through the gate.

    Raises:
        UnboundNumber: it holds a number that nothing covers.
        UnboundQuote: it holds a quotation that nothing covers.
    """
    known = tuple(covered)
    numbers = uncovered_numbers(text, covered=known, own_words=own_words)
    if numbers:
        raise UnboundNumber(
            f"The text contains the number {numbers[0].text!r}, which no evidence covers.",
            details={"position": numbers[0].start, "count": len(numbers)},
        )
    quotes = uncovered_quotes(text, covered=known, own_words=own_words)
    if quotes:
        raise UnboundQuote(
            f"The text quotes {quotes[0].text!r}, which no source contains.",
            details={"position": quotes[0].start, "count": len(quotes)},
        )


def _normal(text: str) -> str:
    """Two spellings of one number are one number: ``1,234.50`` and ``1234.50``."""
    bare = text.strip().lstrip("$€£+").replace("−", "-")
    percent = bare.endswith("%")
    number = as_decimal(bare.rstrip("% "))
    if number is None:
        return _folded(text)
    return f"{number.normalize():f}{'%' if percent else ''}"


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
