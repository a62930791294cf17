"""PPTX, XLSX and EPUB: slides under their titles, sheets as tables, chapters as pages."""

from __future__ import annotations

import posixpath
import re
import xml.etree.ElementTree as ET

from averment.corpus.readers.archive import member, opened, parse, table_text
from averment.corpus.readers.limits import DocumentLimits
from averment.corpus.readers.plain import within
from averment.corpus.readers.reading import Reading, Unreadable

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_OPF = "{http://www.idpf.org/2007/opf}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_MOST_ROWS = 20_000


def read_pptx(content: bytes, limits: DocumentLimits) -> Reading:
    """The text of all slides in order, each under its title.

    Raises:
        Unreadable: the archive is broken, is a bomb, or holds no slide.
    """
    parts: list[str] = []
    with opened(content, limits) as archive:
        slides = _numbered(archive.namelist(), r"ppt/slides/slide(\d+)\.xml")
        if not slides:
            raise Unreadable("INVALID_FILE_TYPE", "the archive does not contain a presentation")
        for name in slides:
            parts += _slide(parse(member(archive, name, limits)))
    text = "\n\n".join(parts)
    within(text, limits)
    first = next((part.lstrip("# ") for part in parts if part.startswith("# ")), "")
    return Reading(text=text, title=first)


def _slide(root: ET.Element) -> list[str]:
    titles: list[str] = []
    others: list[str] = []
    for shape in root.iter(f"{_P}sp"):
        kind = shape.find(f".//{_P}ph")
        is_title = kind is not None and (kind.get("type") or "") in ("title", "ctrTitle")
        lines = ["".join(t.text or "" for t in paragraph.iter(f"{_A}t")).strip() for paragraph in shape.iter(f"{_A}p")]
        lines = [line for line in lines if line]
        if is_title:
            titles += [f"# {' '.join(lines)}"] if lines else []
        elif lines:
            others.append("\n".join(f"- {line}" for line in lines) if len(lines) > 1 else lines[0])
    for table in root.iter(f"{_A}tbl"):
        rows = [
            ["".join(t.text or "" for t in cell.iter(f"{_A}t")) for cell in row.iter(f"{_A}tc")]
            for row in table.iter(f"{_A}tr")
        ]
        others.append(table_text(rows))
    return [*titles, *others]


def read_xlsx(content: bytes, limits: DocumentLimits) -> Reading:
    """The sheets of a workbook in order, each a table whose first row is its header.

    Raises:
        Unreadable: the archive is broken, is a bomb, or holds no sheet.
    """
    parts: list[str] = []
    with opened(content, limits) as archive:
        names = archive.namelist()
        sheets = _numbered(names, r"xl/worksheets/sheet(\d+)\.xml")
        if not sheets:
            raise Unreadable("INVALID_FILE_TYPE", "the archive does not contain a workbook")
        shared: list[str] = []
        if "xl/sharedStrings.xml" in names:
            root = parse(member(archive, "xl/sharedStrings.xml", limits))
            shared = ["".join(t.text or "" for t in one.iter(f"{_S}t")) for one in root.iter(f"{_S}si")]
        titles: list[str] = []
        if "xl/workbook.xml" in names:
            root = parse(member(archive, "xl/workbook.xml", limits))
            titles = [one.get("name") or "" for one in root.iter(f"{_S}sheet")]
        for place, name in enumerate(sheets):
            rows = _rows(parse(member(archive, name, limits)), shared)
            if rows:
                parts += [f"# {titles[place] if place < len(titles) else f'Sheet {place + 1}'}", table_text(rows)]
    text = "\n\n".join(parts)
    within(text, limits)
    return Reading(text=text, title=titles[0] if titles else "")


def _rows(root: ET.Element, shared: list[str]) -> list[list[str]]:
    found: list[list[str]] = []
    for row in root.iter(f"{_S}row"):
        cells: list[str] = []
        for cell in row.iter(f"{_S}c"):
            while len(cells) < _column(cell.get("r") or ""):
                cells.append("")
            value = cell.findtext(f"{_S}v") or "".join(t.text or "" for t in cell.iter(f"{_S}t"))
            if cell.get("t") == "s" and value.isdigit() and int(value) < len(shared):
                value = shared[int(value)]
            cells.append(value)
        if any(cell.strip() for cell in cells):
            found.append(cells)
        if len(found) > _MOST_ROWS:
            raise Unreadable(
                "FILE_TOO_LARGE", f"a sheet has more than {_MOST_ROWS:,} rows; use it as a table source instead"
            )
    return found


def _column(reference: str) -> int:
    letters = re.match(r"[A-Z]{1,3}", reference)
    place = 0
    for letter in letters[0] if letters else "A":
        place = 26 * place + ord(letter) - 64
    return place - 1


def read_epub(content: bytes, limits: DocumentLimits) -> Reading:
    """The chapters of a book in reading order, with its title and author.

    Raises:
        Unreadable: the archive is broken, is a bomb, or holds no chapter.
    """
    from averment.corpus.dates import read_date
    from averment.corpus.readers.archive import front_matter
    from averment.corpus.readers.html import read_html

    with opened(content, limits) as archive:
        package = next((name for name in archive.namelist() if name.endswith(".opf")), None)
        if package is None:
            raise Unreadable("INVALID_FILE_TYPE", "the archive does not contain an e-book")
        root = parse(member(archive, package, limits))
        items = {one.get("id"): one.get("href") or "" for one in root.iter(f"{_OPF}item")}
        order = [items.get(one.get("idref"), "") for one in root.iter(f"{_OPF}itemref")]
        base = posixpath.dirname(package)
        chapters: list[str] = []
        for href in order:
            name = posixpath.normpath(posixpath.join(base, href))
            if href and name in archive.namelist():
                chapters.append(read_html(member(archive, name, limits), limits).text)
        title, author = (root.findtext(f".//{_DC}{name}") or "" for name in ("title", "creator"))
        published = read_date(root.findtext(f".//{_DC}date"))
    text = "\n\n".join(chapter for chapter in chapters if chapter)
    within(text, limits)
    head = front_matter(title=title, author=author, published=published)
    return Reading(text=head + text if text else "", title=title, published_at=published)


def _numbered(names: list[str], pattern: str) -> list[str]:
    found = [(int(match[1]), name) for name in names if (match := re.fullmatch(pattern, name))]
    return [name for _, name in sorted(found)]
