"""A text and its kind to its structure."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from averment.corpus.structure.header import key_of, read_header
from averment.corpus.structure.plain_text import literals, plain, units_of
from averment.corpus.structure.shape import Block, BlockKind, Dialect, Field, Structure, TextUnit

Line = tuple[str, int]
"""A line without its margin, and where it begins in the text."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """The cells of a row and where it stands."""

    cells: list[str]
    start: int
    end: int


def read_drawn(lines: list[Line]) -> tuple[list[str], list[TableRow]]:
    """A table drawn with + and | or with rows of = signs: its header and its rows."""
    rows = _grid(lines) if "+" in lines[0][0] else _simple(lines)
    return (rows[0].cells, rows[1:]) if rows else ([], [])


def read_piped(lines: list[Line]) -> tuple[list[str], list[TableRow]]:
    """A Markdown table: its header and its rows."""
    rows = [TableRow(_piped_cells(text), at, at + len(text)) for text, at in lines]
    return rows[0].cells, rows[2:]


def read_csv(lines: list[Line], header: str | None) -> tuple[list[str], list[TableRow]]:
    """The rows of a ``csv-table``; its header is an option or its first row."""
    rows: list[TableRow] = []
    for text, at in lines:
        if text.strip():
            cells = next(csv.reader(io.StringIO(text.strip()), skipinitialspace=True), [])
            rows.append(TableRow(cells, at, at + len(text)))
    if header is not None:
        return next(csv.reader([header], skipinitialspace=True), []), rows
    return (rows[0].cells, rows[1:]) if rows else ([], [])


def read_listed(lines: list[Line]) -> tuple[list[str], list[TableRow]]:
    """The rows of a ``list-table``: lists in a list."""
    rows: list[TableRow] = []
    for text, at in lines:
        match = re.match(r"\s*(\*\s+)?-\s*(.*)$", text)
        end = at + len(text)
        if match and (match[1] or rows):
            if match[1]:
                rows.append(TableRow([], at, end))
            rows[-1] = TableRow([*rows[-1].cells, match[2]], rows[-1].start, end)
        elif rows and rows[-1].cells and text.strip():
            cells = [*rows[-1].cells[:-1], f"{rows[-1].cells[-1]} {text.strip()}"]
            rows[-1] = TableRow(cells, rows[-1].start, end)
    return (rows[0].cells, rows[1:]) if rows else ([], [])


def _grid(lines: list[Line]) -> list[TableRow]:
    rows: list[TableRow] = []
    fresh = True
    for text, at in lines:
        if re.match(r"^\s*\+[-=+]+", text):
            fresh = True
        elif "|" in text:
            cells = _piped_cells(text)
            if not fresh and rows and len(cells) == len(rows[-1].cells):
                joined = [f"{a} {b}".strip() for a, b in zip(rows[-1].cells, cells, strict=True)]
                rows[-1] = TableRow(joined, rows[-1].start, at + len(text))
            else:
                rows.append(TableRow(cells, at, at + len(text)))
            fresh = False
    return rows


def _simple(lines: list[Line]) -> list[TableRow]:
    cuts = [match.start() for match in re.finditer(r"=+", lines[0][0])]
    ends = [*cuts[1:], None]
    rows: list[TableRow] = []
    for text, at in lines:
        if re.match(r"^[\s=-]+$", text):
            continue
        cells = [text[first:last].strip() for first, last in zip(cuts, ends, strict=True)]
        if rows and not cells[0]:
            joined = [f"{a} {b}".strip() for a, b in zip(rows[-1].cells, cells, strict=True)]
            rows[-1] = TableRow(joined, rows[-1].start, at + len(text))
        else:
            rows.append(TableRow(cells, at, at + len(text)))
    return rows


def _piped_cells(text: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", text.strip().removeprefix("|").removesuffix("|"))]


BULLET = re.compile(r"^(\s*)(?:[-*+•‣]|\d{1,3}[.)]|#\.|\([a-z0-9]{1,2}\)|[a-z]\))\s+(?=\S)")
"""How an item of a list begins."""
_MARKED_Q, _MARKED_A = re.compile(r"^\s*Q\d*[.:)]\s+(?=\S)"), re.compile(r"^\s*A\d*[.:)]\s+\S")


def indented(lines: list[Line], at: int, indent: int) -> int:
    """The end of the lines that stand deeper than ``indent``."""
    while at < len(lines) and (not lines[at][0].strip() or len(lines[at][0]) - len(lines[at][0].lstrip()) > indent):
        at += 1
    return at


def after_fence(lines: list[Line], at: int) -> int:
    """The line behind a fenced block that begins here."""
    mark = lines[at][0].strip()[:3]
    at += 1
    while at < len(lines) and not lines[at][0].strip().startswith(mark):
        at += 1
    return at + 1


def bullet_indent(line: str) -> int:
    """How deep the bullet of a line stands; -1 where it has none."""
    match = BULLET.match(line)
    return -1 if match is None else len(match[1])


def without_double_colon(units: tuple[TextUnit, ...]) -> tuple[TextUnit, ...]:
    """Sentences of which the last one no longer ends in two colons."""
    return tuple(TextUnit(re.sub(r"::$", ":", unit.text), unit.start, unit.end, unit.code) for unit in units)


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """A stretch of a text without the blanks at its ends."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def marked_question(lines: list[Line], at: int, most: int) -> tuple[str, int]:
    """The question that begins here with its mark ("Q)"), up to the mark of its answer or a blank line.

    With how many lines it has: 0 where none begins, or where it has more than ``most``.
    """
    end = at + 1
    while end < len(lines) and lines[end][0].strip() and not _MARKED_A.match(lines[end][0]):
        end += 1
    if not _MARKED_Q.match(lines[at][0]) or end - at > most or end == len(lines):
        return "", 0
    return _MARKED_Q.sub("", " ".join(text.strip() for text, _ in lines[at:end])), end - at


_SILENT = frozenset(
    """
    code-block code sourcecode figure image math toctree contents raw highlight graphviz mermaid uml default-role index
    literalinclude canonical-doc sectnum include productionlist doctest parsed-literal testcode testoutput plantuml
    automodule autoclass autofunction highlights only
    """.split()
)
_CODE = frozenset("code-block code sourcecode parsed-literal".split())
_OPTION = re.compile(r"\s+:([\w-]+):\s*(.*)$")
_ADORNED = re.compile(r"^([=\-~^\"'`#*+:.<>_])\1{2,}\s*$")
_FENCE = re.compile(r"^\s*(```|~~~)")
_LINK = re.compile(r"^\s*\[[^\]]+\]:\s")
_ONLY_LINKS = re.compile(r"(?:\S*https?://\S+\s*)+")
_ONLY_SUBSTITUTIONS = re.compile(r"(?:\s*\|[^|\s][^|]*\|_{0,2})+\s*")
"""Badges and the like: what stands there is put in when the page is made."""
_FOR_THE_PROGRAM = frozenset("tocdepth orphan nocomments nosearch hide-toc".split())
"""Fields that tell a program how to make the page, and a reader nothing."""
_WALKER_ENTRY = re.compile(r"^(\s*):([A-Za-z][^:`\n]{0,60}):(?:\s+(.*))?$")
"""An entry of a list of fields: ":Creator: Ada Moe"; no role, which a backtick follows."""
_DEEPEST = 3
_NAME_WORDS = 4
_ASKED_LINES, _ASKED_INDENT = 3, 3
_ASKED = 20
"""The level of a question that stands as a paragraph of its own: it heads what follows, below all headings."""
_QUESTION = re.compile(r"^\s*(?:Q[.:]\s+|\*\*|__)?(?P<asked>[^\s*_>|].{4,150}?\?)(?:\*\*|__)?\s*$")
_OUTLINE = re.compile(r"^(\*{1,4}) (\S.*)$")
"""A heading of a plain text that is kept as an outline; it is one where some line has two stars."""


class Walker:
    """Walks a body once; ``blocks`` are what it found, ``entries`` what lists of fields say of the document.

    ``examples`` are the pieces of code between them.
    """

    def __init__(self, text: str, start: int, dialect: Dialect) -> None:
        self.blocks: list[Block] = []
        self.entries: list[Field] = []
        self.examples: list[TextUnit] = []
        self._text = text
        self._dialect: Dialect = dialect
        self._rst = dialect == "rst"
        self._lines: list[Line] = []
        at = 0
        for line in text.split("\n"):
            if at >= start:
                self._lines.append((line.rstrip(), at))
            at += len(line) + 1
        self._path: list[tuple[int, str]] = []
        self._styles: list[str] = []
        self._group = 0
        self._outlined = dialect == "text" and any(line.startswith("** ") for line, _ in self._lines)
        self._lead: TextUnit | None = None

    def walk(self) -> list[Block]:
        """The blocks of the body."""
        self._body(self._lines, 0)
        return self.blocks

    def _body(self, lines: list[Line], depth: int) -> None:
        at, count = 0, len(lines)
        while at < count:
            line = lines[at][0]
            following = lines[at + 1][0] if at + 1 < count else ""
            stripped = line.strip()
            if not stripped:
                at += 1
            elif (length := self._heading_at(lines, at)) > 0:
                at += length
            elif _FENCE.match(line):
                begin, at = at + 1, after_fence(lines, at)
                self._example(lines[begin : at - 1])
            elif self._rst and (stripped == ".." or stripped.startswith(".. ")):
                at = self._directive(lines, at, depth)
            elif stripped.startswith((".. -*-", "# -*-", "#!")):
                at += 1  # A line for the editor or the shell.
            elif _LINK.match(line) or (stripped.startswith("<!--") and "-->" in stripped):
                at += 1
            elif re.match(r"^\s*\+[-=+]{3,}\+\s*$", line) or (self._rst and re.match(r"^\s*=+(\s+=+)+\s*$", line)):
                at = self._drawn(lines, at)
            elif not self._rst and "|" in line and "|" in following and re.match(r"^\s*\|?\s*:?-{2,}", following):
                at = self._piped(lines, at)
            elif _ADORNED.match(line):
                at += 1
            elif BULLET.match(line):
                at = self._list(lines, at, depth)
            elif self._rst and _WALKER_ENTRY.match(line):
                at = self._entry(lines, at, depth)
            else:
                at = self._paragraph(lines, at, depth)

    def _heading_at(self, lines: list[Line], at: int) -> int:
        """Take the heading that begins here, if one does; how many lines it has."""
        line = lines[at][0]
        if self._dialect != "rst" and (marked := re.match(r"(#{1,6})\s+(\S.*)$", line)):
            self._heading(len(marked[1]), marked[2].rstrip("# "))
            return 1
        if self._outlined and (marked := _OUTLINE.match(line)):
            self._heading(len(marked[1]), marked[2])
            return 1
        if length := self._asked_at(lines, at):
            return length
        following = lines[at + 1][0] if at + 1 < len(lines) else ""
        third = lines[at + 2][0] if at + 2 < len(lines) else ""
        if self._dialect != "markdown" and _ADORNED.match(line) and _ADORNED.match(third) and following.strip():
            self._heading(self._level(f"={line[0]}"), following.strip())
            return 3
        if not _ADORNED.match(following) or _ADORNED.match(line) or line.startswith((" ", "|", "+", "-", ">", "..")):
            return 0
        stripped = line.strip()
        if self._dialect == "markdown":
            fits = following[0] in "=-" and (at == 0 or not lines[at - 1][0].strip())
        else:
            fits = len(following.strip()) >= min(len(stripped) - 2, 40)
        if not fits:
            return 0
        level = self._level(following[0]) if self._dialect != "markdown" else 1 if following[0] == "=" else 2
        self._heading(level, stripped)
        return 2

    def _asked_at(self, lines: list[Line], at: int) -> int:
        """Take the question that stands here as a paragraph of its own, or in bold on the first line of one."""
        asked, length = marked_question(lines, at, _ASKED_LINES)
        if length:
            self._heading(_ASKED, asked)
            return length
        if at and lines[at - 1][0].strip():
            return 0
        end = at
        while end < len(lines) and lines[end][0].strip() and end - at <= _ASKED_LINES:
            end += 1
        if re.match(r"^\s*(?:\*\*|__)\S.*\?(?:\*\*|__)\s*$", lines[at][0]):
            end = at + 1  # In bold, with what answers it right below.
        elif end < len(lines) and lines[end][0].strip():
            return 0
        said = " ".join(text.strip() for text, _ in lines[at:end])
        match = _QUESTION.match(said)
        margin = len(lines[at][0]) - len(lines[at][0].lstrip())
        if match is None or BULLET.match(lines[at][0]) or margin > _ASKED_INDENT:
            return 0
        if re.search(r"[.!?][\"')]*\s+[A-Z]", match["asked"]) and not re.match(r"\s*(?:Q[.:]|\*\*|__)", said):
            return 0  # Some sentences, of which the last one asks.
        self._heading(_ASKED, match["asked"])
        return end - at

    def _level(self, style: str) -> int:
        if style not in self._styles:
            self._styles.append(style)
        return self._styles.index(style)

    def _heading(self, level: int, title: str) -> None:
        self._path = [one for one in self._path if one[0] < level] + [(level, plain(title, self._dialect))]
        self._lead = None

    def _headings(self) -> tuple[str, ...]:
        return tuple(title for _, title in self._path)

    def _add(self, kind: BlockKind, units: tuple[TextUnit, ...], **more: object) -> Block | None:
        said = " ".join(unit.text for unit in units)
        if not units or not re.search(r"\w\w", said) or _ONLY_LINKS.fullmatch(said):
            return None
        lead, group, level = more.get("lead"), more.get("group", 0), more.get("level", 0)
        assert isinstance(group, int) and isinstance(level, int)
        block = Block(kind, units, self._headings(), lead if isinstance(lead, TextUnit) else None, group, level)
        self.blocks.append(block)
        return block

    def _example(self, lines: list[Line]) -> None:
        """Keep lines as a piece of code: its words on one line, and where they stand."""
        kept = [(text, place) for text, place in lines if text.strip()]
        if kept:
            text, last = kept[-1]
            start, end = trim(self._text, kept[0][1], last + len(text))
            self.examples.append(TextUnit(" ".join(one.strip() for one, _ in kept), start, end))

    def _directive(self, lines: list[Line], at: int, depth: int) -> int:
        line, begin = lines[at]
        indent = len(line) - len(line.lstrip())
        end = indented(lines, at + 1, indent)
        match = re.match(r"\s*\.\.\s+([\w:-]+?)::\s*(.*)$", line)
        if match is not None and match[1] in _CODE:
            self._example([one for one in lines[at + 1 : end] if not _OPTION.match(one[0])])
        if not match or match[1] in _SILENT or depth > _DEEPEST:
            return end
        name, argument = match[1], match[2]
        options: dict[str, str] = {}
        content: list[Line] = []
        for text, place in lines[at + 1 : end]:
            option = _OPTION.match(text)
            if option:
                options[option[1]] = option[2]
            else:
                content.append((text, place))
        if name == "csv-table":
            self._rows(*read_csv(content, options.get("header")), argument)
        elif name == "list-table":
            self._rows(*read_listed(content), argument)
        else:
            if argument and name not in ("class", "rubric", "container", "table"):
                content = [(argument, begin + line.index(argument)), *content]
            if name == "table":
                self._caption(argument, begin)
            width = min((len(text) - len(text.lstrip()) for text, _ in content if text.strip()), default=0)
            inner = [
                (text[width:] if text[:width].isspace() else text.lstrip(), place + width) for text, place in content
            ]
            self._body(inner, depth + 1)
        return end

    def _caption(self, caption: str, begin: int) -> None:
        if caption:
            start = self._text.find(caption, begin)
            self._lead = TextUnit(plain(caption, self._dialect), start, start + len(caption))

    def _drawn(self, lines: list[Line], at: int) -> int:
        end = at
        while end < len(lines) and lines[end][0].strip():
            end += 1
        if end - at > 1:
            self._rows(*read_drawn(lines[at:end]), "")
        return max(end, at + 1)

    def _piped(self, lines: list[Line], at: int) -> int:
        end = at
        while end < len(lines) and "|" in lines[end][0]:
            end += 1
        self._rows(*read_piped(lines[at:end]), "")
        return end

    def _rows(self, header: list[str], rows: list[TableRow], caption: str) -> None:
        self._group += 1
        names = [plain(name, self._dialect) for name in header]
        if caption and rows:
            self._caption(caption, max(0, rows[0].start - 2_000))
        for row in rows:
            cells = [plain(cell, self._dialect) for cell in row.cells]
            pairs = tuple((names[n] if n < len(names) else "", cell) for n, cell in enumerate(cells))
            if not pairs or not pairs[0][1]:
                continue
            told = "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)
            place = trim(self._text, row.start, row.end)
            if len(pairs) == 2 and not any(name for name, _ in pairs) and pairs[1][1]:
                # Two columns without a header are names and their values; above all sections they are the document's.
                told = f"{pairs[0][1].rstrip(':')}: {pairs[1][1]}"
                if len(self._path) <= 1 and len(pairs[0][1].split()) <= _NAME_WORDS:
                    self.entries.append(Field(key_of(pairs[0][1].rstrip(".:")), pairs[1][1], *place))
            unit = TextUnit(told, *place, literals(" ".join(row.cells)))
            self.blocks.append(Block("row", (unit,), self._headings(), self._lead, self._group, 0, pairs))

    def _list(self, lines: list[Line], at: int, depth: int, level: int = 0) -> int:
        """A list: each item with its lead; what is nested in an item has the item as its lead."""
        self._group += 1
        group, lead = self._group, self._lead
        indent = bullet_indent(lines[at][0])
        while at < len(lines):
            line, place = lines[at]
            if bullet_indent(line) != indent:
                after = next((n for n in range(at, len(lines)) if lines[n][0].strip()), None)
                if line.strip() or after is None or bullet_indent(lines[after][0]) != indent:
                    break
                at = after
                continue
            match = BULLET.match(line)
            assert match is not None
            end = indented(lines, self._wrapped(lines, at + 1, indent), indent)
            while end > at + 1 and not lines[end - 1][0].strip():
                end -= 1
            own = at + 1
            while own < end and lines[own][0].strip() and not BULLET.match(lines[own][0]):
                own += 1
            last_text, last = lines[own - 1]
            stop = last + len(last_text)
            code = last_text.rstrip().endswith("::") and self._rst
            units = units_of(self._text, place + match.end(), stop, self._dialect)
            if code:
                units = without_double_colon(units)
                self._example(lines[own:end])
            self._add("item", units, lead=lead, group=group, level=level)
            rest = lines[own:end]
            if rest and not code and level < _DEEPEST and depth < _DEEPEST:
                self._lead = units[-1] if units else lead
                margin = min((len(text) - len(text.lstrip()) for text, _ in rest if text.strip()), default=0)
                self._body([(text[margin:], begin + margin) for text, begin in rest], depth + 1)
            self._lead = lead
            at = max(end, at + 1)
        return at

    def _wrapped(self, lines: list[Line], at: int, indent: int) -> int:
        """Behind the lines on which the first sentence of an item goes on without standing deeper than its mark."""
        while not self._rst and at < len(lines) and lines[at][0].strip():
            text = lines[at][0]
            if BULLET.match(text) or _FENCE.match(text) or "|" in text or len(text) - len(text.lstrip()) < indent:
                break
            if self._heading_follows(lines, at):
                break
            at += 1
        return at

    def _heading_follows(self, lines: list[Line], at: int) -> bool:
        following = lines[at + 1][0] if at + 1 < len(lines) else ""
        return bool(re.match(r"#{1,6}\s", lines[at][0]) or _ADORNED.match(lines[at][0]) or _ADORNED.match(following))

    def _paragraph(self, lines: list[Line], at: int, depth: int) -> int:
        begin, indent = at, len(lines[at][0]) - len(lines[at][0].lstrip())
        while at < len(lines) and lines[at][0].strip():
            text = lines[at][0]
            before = lines[at - 1][0].rstrip() if at > begin else ""
            if at > begin and ((BULLET.match(text) and before.endswith(":")) or _FENCE.match(text)):
                break
            if at > begin and not self._rst and (re.match(r"#{1,6}\s", text) or BULLET.match(text)):
                break
            if self._rst and at == begin + 1 and not indent and text[:2].isspace() and not before.endswith((".", ",")):
                return self._definition(lines, begin, depth)
            at += 1
        if self._dialect == "markdown" and indent >= 4 and not depth:
            self._example(lines[begin:at])
            return at  # An indented block of Markdown is code.
        if self._rst and _ONLY_SUBSTITUTIONS.fullmatch(" ".join(text for text, _ in lines[begin:at])):
            return at
        start, stop = lines[begin][1] + indent, lines[at - 1][1] + len(lines[at - 1][0])
        quoted = lines[begin][0].lstrip().startswith(">")
        units = units_of(self._text, start, stop, self._dialect, margin="> ?" if quoted else "")
        literal = self._rst and lines[at - 1][0].rstrip().endswith("::")
        units = without_double_colon(units) if literal else units
        block = self._add("quote" if indent or quoted else "para", units)
        if block is not None:
            self._lead = block.units[-1]
        end = indented(lines, at, indent) if literal else at
        self._example(lines[at:end])
        return end

    def _entry(self, lines: list[Line], at: int, depth: int) -> int:
        """An entry of a list of fields: told as "name: value"; what hangs on it has its name as the lead."""
        match = _WALKER_ENTRY.match(lines[at][0])
        assert match is not None
        start, name = lines[at][1] + len(match[1]), plain(match[2], self._dialect)
        end = indented(lines, at + 1, len(match[1]))
        own = at + 1
        while own < end and lines[own][0].strip() and not BULLET.match(lines[own][0]):
            own += 1
        said = [match[3] or "", *(text.strip() for text, _ in lines[at + 1 : own])]
        value = plain(" ".join(part for part in said if part), self._dialect)
        stop = lines[own - 1][1] + len(lines[own - 1][0])
        if value and name.lower() not in _FOR_THE_PROGRAM:
            unit = TextUnit(f"{name}: {value}", start, stop, literals(self._text[start:stop]))
            self._add("item", (unit,), group=self._group)
            if len(self._path) <= 1 and not depth:
                self.entries.append(Field(key_of(name), value, start, stop))
        rest = lines[own:end]
        if rest and depth < _DEEPEST:
            self._lead = TextUnit(f"{name}:", start, lines[at][1] + len(lines[at][0]))
            margin = min((len(text) - len(text.lstrip()) for text, _ in rest if text.strip()), default=0)
            self._body([(text[margin:], place + margin) for text, place in rest], depth + 1)
            self._lead = None
        return max(end, at + 1)

    def _definition(self, lines: list[Line], at: int, depth: int) -> int:
        """A term and what is said of it on the deeper lines below."""
        end = indented(lines, at + 1, 0)
        body = lines[at + 1 : end]
        first = next((n for n, (text, _) in enumerate(body) if not text.strip()), len(body))
        start, (text, last) = lines[at][1], body[first - 1]
        raw = self._text[start : last + len(text)]
        term = plain(lines[at][0], self._dialect)
        if lines[at][0].rstrip().endswith("::") or depth > _DEEPEST:
            return end
        said = plain(" ".join(line.strip() for line, _ in body[:first]), self._dialect)
        unit = TextUnit(f"{term.rstrip(':')}: {said}", start, start + len(raw.rstrip()), literals(raw))
        self._add("item", (unit,), lead=self._lead, group=self._group)
        width = min((len(line) - len(line.lstrip()) for line, _ in body if line.strip()), default=0)
        self._body([(line[width:], place + width) for line, place in body[first:]], depth + 1)
        return end


_DIALECTS: dict[str, Dialect] = {"rst": "rst", "text": "text", "email": "text"}
_GENERIC = frozenset(
    {
        *"summary abstract introduction motivation overview preamble contents status authors readme about".split(),
        *("table of contents", "license", "licence", "faq", "history", "changelog", "changes", "news", "installation"),
        *("usage", "version history", "release notes", "quick start", "quickstart", "getting started"),
    }
)
_TITLE_KEYS = ("title", "subject", "name", "feature-name", "feature")
_GENERAL_NAMES = frozenset("readme index main document doc".split())
_NUMBERED = re.compile(r"(?:(?P<kind>[A-Za-z]+)(?:[-_ ]|(?=0|\d{3})))?0*(?P<number>\d{1,6})(?:[-_ ](?P<rest>\D.*))?$")
"""A file that is one of a series: "rfc-0012", "rfc2119", "0012-private-fields"; not "libffi8" or "GPL-3.0"."""
_LONG_TITLE, _SHORT_TITLE = 120, 60
_MARKUP = re.compile(r"\.\.(?:\s|$)|:[\w -]+:|[<|#\[!-]|\W*$")
"""How a line begins that is read by programs: a comment or directive, a field, a tag, an image."""


def read_structure(text: str, kind: str, url: str, title: str = "") -> Structure:
    """The structure of an archived text; ``title`` is what its reader found, where the text itself says none."""
    dialect = _DIALECTS.get(kind, "markdown")
    fields, start = read_header(text, dialect)
    walker = Walker(text, start, dialect)
    opening = _first_line(text[start:], dialect)
    first = text.strip().partition("\n")[0].strip()
    given = "" if dialect in ("text", "rst") and title.strip() == first and not opening else title
    named = _named(url, fields, walker.walk(), opening, given)
    # An entry of the body never numbers a document, and gives way to the header.
    known = {field.key for field in fields}
    further = tuple(one for one in walker.entries if one.key not in known)
    return replace(named, fields=(*fields, *further), examples=tuple(walker.examples))


def _first_line(body: str, dialect: Dialect) -> str:
    """The first line of a plain text, where it is a title: no markup, and no beginning of a wrapped sentence."""
    first, _, rest = body.lstrip().partition("\n")
    first = first.strip()
    alone = len(first) <= _SHORT_TITLE or not rest.partition("\n")[0].strip()
    fits = alone and len(first) <= _LONG_TITLE and not first.endswith(".") and not _MARKUP.match(first)
    return plain(first, dialect) if dialect == "text" and fits else ""


def _named(url: str, fields: tuple[Field, ...], blocks: list[Block], opening: str, given: str) -> Structure:
    """Kind, number and title: from the fields, else from the first heading, else from the file's name."""
    path = PurePosixPath(unquote(urlsplit(url).path))
    stem = path.name.rsplit(".", 1)[0] if "." in path.name[1:] else path.name
    folder = path.parent.name
    if stem.lower() in _GENERAL_NAMES and folder:
        stem = folder
    name = re.sub(r"[-_.]+", " ", stem)
    kind = number = ""
    slug = re.sub(r"[-_]+", " ", stem)
    if match := _NUMBERED.match(stem):
        kind, number = (match["kind"] or "").lower(), match["number"]
        slug = re.sub(r"[-_]+", " ", match["rest"] or "")
    for field in fields:
        digits = field.value.lstrip("0")
        if field.value.isdigit() and "-" not in field.key and (not number or digits == number):
            kind, number = kind or re.sub(r"-(?:number|id)$", "", field.key), digits
            break
    if number and not kind:
        kind = (folder[:-1] if folder.endswith("s") else folder).lower()
    return Structure(_title(fields, blocks, slug, opening, given) or stem, kind, number, fields, tuple(blocks), name)


_RELEASE = re.compile(r"(?:version|release)?\s*v?\d+(?:\.\d+)+\S*(?:\s*[-–(\[].*)?$", re.IGNORECASE)
"""What heads a release: the log of changes is not called by its newest one."""
_ENTRY = re.compile(r"(?:[A-Z][a-z]{2,8} \d{1,2}, \d{4}|\d{4}-\d\d-\d\d)\b|\w+:\s*https?://")
"""How an entry of a log begins, and a field that gives an address: neither is what a document is called."""


def _title(fields: tuple[Field, ...], blocks: list[Block], slug: str, opening: str, given: str) -> str:
    said = next((field.value for key in _TITLE_KEYS for field in fields if field.key == key), "")
    # A heading after the first paragraph heads a section, not the document.
    heading = blocks[0].path[0] if blocks and blocks[0].path else ""
    title = re.sub(r"_", " ", said)
    for other in (heading, opening, given):
        called = other.lower() not in _GENERIC and not _RELEASE.match(other) and not _ENTRY.match(other)
        if not title and called and any(each.isalnum() for each in other):
            title = re.sub(r"^(?:[A-Z]+-?\s?)?\d+\s*[:.–-]\s*", "", other).strip(" -–:")
    if said and slug and " " not in title and slug.lower() not in title.lower():
        return f"{title} ({slug})"
    return title or slug
