"""What a finished run can be asked: the sentences of its report, each with the place it stands in.

Nothing is added to them, so that no number can be in an answer that is not in the report. Of a research only what
carries a citation counts; of a table, its rows under their headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from averment.language.sentences import split_sentences

HEAD = "Summary"
"""The section of what stands before the first heading."""

_MARKER = re.compile(r"\[\^\d+\]")
_CITED = re.compile(r"(.+?)((?:\s*\[\^\d+\])+)\s*", re.DOTALL)
_CITATION = re.compile(r"^(\[\^\d+\]):\s+(.+)$")
_LABEL = re.compile(r"^\*[^*]+:\*\s*")
_ESCAPED = re.compile(r"\\([\\`*_\[\]<>|#~])")
_RULE_ROW = re.compile(r"^\|(?:\s*:?-+:?\s*\|)+$")
_BULLET = re.compile(r"^\s*(?:[-*•]|[0-9]{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class ReportPassage:
    """A sentence, or a row, of a report: its words, its section, and where one finds it."""

    text: str
    section: str
    reference: str


def passages_of(report: str, kind: str, place: str) -> tuple[ReportPassage, ...]:
    """What a report says, in its order, each sentence once; ``place`` is the file it lies in."""
    kept: dict[str, ReportPassage] = {}
    for text, section, where in _cited(report) if kind == "research" else _told(report):
        kept.setdefault(text, ReportPassage(text, section, where or f"{place}#{section}"))
    return tuple(kept.values())


def _cited(report: str) -> Iterator[tuple[str, str, str]]:
    """The cited sentences of a research, each with the source and the place its citation names."""
    sections = list(_sections(report))
    places = {
        found.group(1): found.group(2)
        for _, lines in sections
        for line in lines
        if (found := _CITATION.match(line)) is not None
    }
    for section, lines in sections:
        for line in lines:
            citation = _CITATION.match(line)
            if citation is not None:
                yield _plain(_BULLET.sub("", line)), section, places[citation.group(1)]
                continue
            for found in _CITED.finditer(_LABEL.sub("", _BULLET.sub("", line))):
                words = [sentence.text for sentence in split_sentences(found.group(1).strip())]
                marks = _MARKER.findall(found.group(2))
                if words:
                    # What stands before a sentence without a mark of its own is not vouched for by the next one's.
                    where = "; ".join(places.get(mark, mark) for mark in marks)
                    yield _plain(f"{words[-1]} {' '.join(marks)}"), section, where


def _told(report: str) -> Iterator[tuple[str, str, str]]:
    for section, lines in _sections(report):
        headings: list[str] = []
        for line in lines:
            if line.startswith("|"):
                if _RULE_ROW.match(line):
                    continue
                cells = [_plain(cell) for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
                if not headings:
                    headings = cells
                    continue
                yield _row(headings, cells), section, ""
                continue
            headings = []
            if line.startswith("SQL: "):
                yield line, section, ""
                continue
            bare = _plain(_BULLET.sub("", line).strip("*"))
            if not bare or bare.endswith(":"):
                continue
            if _BULLET.match(line):
                yield bare, section, ""
                continue
            for sentence in split_sentences(bare):
                yield sentence.text, section, ""


def _row(headings: list[str], cells: list[str]) -> str:
    pairs = [(head, cell) for head, cell in zip(headings, cells, strict=False) if cell]
    return "; ".join(f"{head}: {cell}" if head else cell for head, cell in pairs)


def _sections(report: str) -> Iterator[tuple[str, list[str]]]:
    """The sections with their lines; pictures and the title say nothing, a query is one line."""
    section, lines, code = HEAD, list[str](), list[str]()
    fenced = False
    for line in report.splitlines():
        if line.startswith("```"):
            if fenced and code:
                lines.append(f"SQL: {' '.join(code)}")
            fenced, code = not fenced, []
        elif fenced:
            code.append(line.strip())
        elif line.startswith("## "):
            yield section, lines
            section, lines = _plain(line[3:]), []
        elif not line.startswith(("# ", "![", "Generated ", "Asked ")):
            lines.append(line.strip())  # An empty line too: it ends a table.
    yield section, lines


def _plain(text: str) -> str:
    return _ESCAPED.sub(r"\1", text).replace("**", "").strip()
