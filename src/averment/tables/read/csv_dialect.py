"""Which characters keep cells and rows apart, found on a sample.

Every plausible dialect reads the sample, and the one whose rows are most alike and whose cells are most like values
wins. Where that is not clear, two further opinions are asked (CleverCSV's and the engine's own); where they do not
settle it either, the file is refused as ambiguous instead of being read by chance.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from averment.errors import SourceAmbiguous
from averment.tables.catalog import Note
from averment.tables.read.csv_records import CsvRecord, Dialect, physical_lines, read_records
from averment.tables.sources.options import ReadOptions
from averment.tables.types.cell_kinds import VALUE_KINDS, kind_of

DELIMITERS = (",", ";", "\t", "|", ", ", "; ", " ", "^", "~", "\x1f", "\x01", "||", "::", ":")
WEAK = frozenset({" ", ":", "^", "~"})
SAMPLE_RECORDS = 200
SINGLE_SCORE = 0.22
CLEAR = 1.25
TIED = 1.04


@dataclass(frozen=True)
class DialectCandidate:
    """A dialect, how well it fits the sample, and what it makes of it."""

    dialect: Dialect
    score: float
    width: int
    records: list[CsvRecord]


def separator_line(sample: str) -> str | None:
    """The delimiter that a spreadsheet's first line ``sep=;`` names, or None."""
    found = re.match(r'\s*"?sep=(.)"?\s*?(?:\r|\n|$)', sample, re.IGNORECASE)
    return found.group(1) if found else None


def detect_dialect(sample: str, options: ReadOptions, path: Path) -> tuple[Dialect, list[Note]]:
    """The dialect of the sample, and a note where opinions differed.

    Raises:
        SourceAmbiguous: two dialects fit about as well and give different cells.
    """
    lines = physical_lines(sample)
    if len(lines) > 2 * SAMPLE_RECORDS:
        lines = lines[: 2 * SAMPLE_RECORDS]
    text = "".join(lines)
    candidates = sorted(_candidates(text, lines, options), key=lambda item: (-item.score, item.dialect.quote != '"'))
    best = candidates[0]
    if options.delimiter is not None:
        return best.dialect, []
    rival = next(
        (item for item in candidates[1:] if item.dialect.delimiter != best.dialect.delimiter and _differs(item, best)),
        None,
    )
    if rival is None or best.score >= CLEAR * rival.score:
        return best.dialect, []
    opinions = [opinion for opinion in (_clevercsv(text), _engine(path)) if opinion is not None]
    for_best = sum(opinion == best.dialect.delimiter for opinion in opinions)
    for_rival = sum(opinion == rival.dialect.delimiter for opinion in opinions)
    if for_best < for_rival and rival.score * TIED >= best.score:
        best, rival = rival, best
        for_best, for_rival = for_rival, for_best
    if for_best == 0 and best.score < TIED * rival.score:
        raise SourceAmbiguous(
            f"The cells of this file may be separated by {best.dialect.label} or by {rival.dialect.label}.",
            details={"readings": [best.dialect.label, rival.dialect.label]},
        )
    if opinions and for_best == len(opinions) and best.score >= TIED * rival.score:
        return best.dialect, []
    message = f"Read with {best.dialect.label}; {rival.dialect.label} would also be possible and gives other cells."
    return best.dialect, [Note(code="dialect_disagreement", message=message)]


def _candidates(text: str, lines: list[str], options: ReadOptions) -> list[DialectCandidate]:
    forced = options.delimiter if options.delimiter is not None else separator_line(text)
    delimiters = [forced] if forced else [item for item in DELIMITERS if item in text]
    quotes = [options.quote] if options.quote is not None else [mark for mark in ('"', "'") if mark in text] or ['"']
    found: list[DialectCandidate] = []
    for quote in quotes:
        escapes = ["\\", quote] if quote and "\\" + quote in text else [quote]
        for escape in escapes:
            if not forced:
                found.append(_judge(Dialect(delimiter="", quote=quote, escape=escape), lines))
            for delimiter in delimiters:
                found.append(_judge(Dialect(delimiter=delimiter, quote=quote, escape=escape), lines))
    if not any(candidate.dialect.quote == '"' for candidate in found) and options.quote is None:
        found.extend(_judge(Dialect(delimiter=delimiter), lines) for delimiter in delimiters)
    if options.quote is None and all(sum(r.faulty for r in item.records) > 0.5 * len(item.records) for item in found):
        # Where most lines break every kind of quoting, quotes are characters like others.
        found.extend(_judge(Dialect(delimiter=delimiter, quote="", escape=""), lines) for delimiter in delimiters)
    return found


def _judge(dialect: Dialect, lines: list[str]) -> DialectCandidate:
    records = [record for record in islice(read_records(lines, dialect), SAMPLE_RECORDS) if record.raw.strip()]
    if not records:
        return DialectCandidate(dialect, 0.0, 0, records)
    full = [record for record in records if not record.blank] or records
    widths = Counter(len(record.cells) for record in full)
    width = max(widths, key=lambda item: (widths[item] * (item > 1 or len(widths) == 1), item))
    similarity = _similarity(full)
    faults = sum(record.faulty for record in full) / len(full)
    if not dialect.delimiter:
        return DialectCandidate(dialect, SINGLE_SCORE * (0.6 + 0.4 * similarity) * (1 - faults), 1, records)
    if width == 1:
        return DialectCandidate(dialect, 0.0, 1, records)
    even = widths[width] / len(full)
    score = even * (0.4 + 0.6 * similarity) * (1 - 1 / width) * (1 - 0.7 * faults)
    if not any(len(record.cells) == width for record in full[:8]):
        score *= 0.5
    if dialect.delimiter in WEAK:
        # Words and times hold these characters anyway: they count only where the header line agrees.
        score *= 0.8 if len(full[0].cells) == width else 0.3
    return DialectCandidate(dialect, score, width, records)


def _similarity(records: list[CsvRecord]) -> float:
    """How much the cells look like values: 1 for numbers and dates, less for words, little for cut sentences."""
    total = weight = 0.0
    for record in records[:100]:
        for cell in record.cells[:100]:
            total += 1
            kind = kind_of(cell)
            if kind in VALUE_KINDS:
                mark = 1.0
            elif kind == "empty":
                mark = 0.7
            elif kind in ("word", "code"):
                mark = 0.9
            else:
                mark = 0.5
            if (
                cell[:1] == " "
                or cell.count('"') % 2
                or (cell[:1] in "\"'" and cell[:1] == cell[-1:] and len(cell) > 1)
            ):
                mark *= 0.6
            weight += mark
    return weight / total if total else 0.0


def _differs(one: DialectCandidate, other: DialectCandidate) -> bool:
    """Whether two readings of the sample give different cells, outer white space aside."""
    if len(one.records) != len(other.records):
        return True
    pairs = zip(one.records, other.records, strict=True)
    return any([cell.strip() for cell in a.cells] != [cell.strip() for cell in b.cells] for a, b in pairs)


def _clevercsv(text: str) -> str | None:
    import clevercsv
    from clevercsv.exceptions import NoDetectionResult

    try:
        found = clevercsv.Detector().detect(text[:20_000])
    except (NoDetectionResult, ValueError, IndexError):
        return None
    return found.delimiter if found is not None else None


def _engine(path: Path) -> str | None:
    import duckdb

    with duckdb.connect() as connection:
        try:
            row = connection.execute("SELECT Delimiter FROM sniff_csv(?, sample_size = 2000)", [str(path)]).fetchone()
        except duckdb.Error:
            return None
    return str(row[0]) if row else None
