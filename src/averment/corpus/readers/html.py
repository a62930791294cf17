"""HTML: what a person sees of a page, the main part where one can be told from menus and footers, else all of it.

Scripts, styles, comments and what the page hides are left out before anything else: text that no reader sees is never
quoted. Nothing is fetched, and links are not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from averment.corpus.dates import read_date
from averment.corpus.readers.limits import DocumentLimits
from averment.corpus.readers.plain import decode, within
from averment.corpus.readers.reading import Reading, Unreadable
from averment.errors.extras import needs

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"([^{}@;]+)\{([^{}]*)\}")
_CONDITIONAL = re.compile(r"@[\w-]+[^{;]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}|@[^{};]*;")
_COMPOUND = re.compile(r"(?P<tag>[a-z][\w-]*|\*)?(?P<rest>(?:[.#][\w-]+)*)", re.IGNORECASE)
_HIDING = re.compile(
    r"""(?:^|;)\s*(?:
        display\s*:\s*none
        |visibility\s*:\s*(?:hidden|collapse)
        |content-visibility\s*:\s*hidden
        |opacity\s*:\s*0?(?:\.0+)?%?\s*(?:!important\s*)?(?:;|$)
        |font-size\s*:\s*(?:0(?:\.\d+)?|\.\d+|1px)(?:px|pt|em|rem|%)?\s*(?:!important\s*)?(?:;|$)
        |font\s*:[^;]*\b0(?:px|pt|em|rem|%)?(?:/[^;]*)?\s
        |text-indent\s*:\s*-\d{3,}
        |(?:left|top|right|bottom|margin-left|margin-top)\s*:\s*-\d{4,}
        |clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?\s*\)
        |clip-path\s*:\s*(?:inset\(\s*(?:50|100)%|circle\(\s*0)
        |transform\s*:[^;]*scale\(\s*0\s*\)
        |color\s*:\s*(?:transparent|rgba\([^)]*,\s*0?(?:\.0+)?\s*\)|\#[0-9a-f]{3}0\s*(?:;|$)|\#[0-9a-f]{6}00)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_NOTHING_WIDE = re.compile(r"(?:^|;)\s*(?:max-)?(?:width|height)\s*:\s*0(?:px|pt|em|%)?\s*(?:;|$)", re.IGNORECASE)
_CUT_OFF = re.compile(r"(?:^|;)\s*overflow(?:-[xy])?\s*:\s*(?:hidden|clip)", re.IGNORECASE)
_WHITE = re.compile(
    r"(?:^|;)\s*color\s*:\s*(?:white\b|snow\b|ivory\b|\#f{3}\b|\#f[d-f]f[d-f]f[d-f]\b"
    r"|rgba?\(\s*25[3-5]\s*,\s*25[3-5]\s*,\s*25[3-5]|hsl\([^)]*\b(?:100|99)%\s*\))",
    re.IGNORECASE,
)
_COLORED = re.compile(r"(?:^|;)\s*color\s*:", re.IGNORECASE)
_GROUND = re.compile(r"(?:^|;)\s*background(?:-color|-image)?\s*:\s*([^;]+)", re.IGNORECASE)
_PALE = re.compile(
    r"\s*(?:white|snow|ivory|transparent|none|initial|inherit|unset|\#f{3}|\#f{6})\s*(?:!important)?\s*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Selector:
    tag: str
    classes: frozenset[str]
    ids: frozenset[str]
    declarations: str

    @property
    def handle(self) -> str:
        """By which an element that may fit is found: an id, else a class, else the tag."""
        if self.ids:
            return f"#{min(self.ids)}"
        return f".{min(self.classes)}" if self.classes else self.tag or "*"

    def fits(self, tag: str, classes: frozenset[str], name: str) -> bool:
        return self.tag in ("", "*", tag) and self.classes <= classes and self.ids <= {name}


class Styles:
    """The styles a page brings along."""

    def __init__(self, tree: Any) -> None:
        self._rules: dict[str, list[_Selector]] = {}
        for node in tree.iter("style"):
            for rule in _rules(node.text or ""):
                if any(pattern.search(rule.declarations) for pattern in (_HIDING, _NOTHING_WIDE, _COLORED, _GROUND)):
                    self._rules.setdefault(rule.handle, []).append(rule)
        kinds = [(node.get("rel") or "").lower().split() for node in tree.iter("link")]
        self._has_others = any("stylesheet" in kind for kind in kinds)

    def hides(self, node: Any) -> bool:
        """Whether nobody sees what the node holds."""
        said = self._said(node)
        if node.get("hidden") is not None or _HIDING.search(said):
            return True
        if _NOTHING_WIDE.search(said) and _CUT_OFF.search(said):
            return True
        if node.tag == "font" and _WHITE.search(f"color:{node.get('color') or ''}"):
            return self._on_white(node)
        return bool(_WHITE.search(said)) and self._on_white(node)

    def _on_white(self, node: Any) -> bool:
        """Whether no ground but a white one is behind a node; with styles in other files that cannot be known."""
        if self._has_others:
            return False
        while node is not None:
            ground = _GROUND.search(self._said(node))
            if node.get("bgcolor") or node.get("background"):
                return False
            if ground is not None and not _PALE.fullmatch(ground[1]):
                return False
            node = node.getparent()
        return True

    def _said(self, node: Any) -> str:
        own = node.get("style") or ""
        if not self._rules or not isinstance(node.tag, str):
            return own
        classes, name = frozenset((node.get("class") or "").split()), node.get("id") or ""
        handles = (f"#{name}", *(f".{each}" for each in sorted(classes)), node.tag, "*")
        near = [rule for handle in handles for rule in self._rules.get(handle, ())]
        parts = [rule.declarations for rule in near if rule.fits(node.tag, classes, name)]
        if _COLORED.search(own):  # The element's own colour wins over a rule's.
            parts = [re.sub(_COLORED.pattern + r"[^;]*", ";", part, flags=re.IGNORECASE) for part in parts]
        return ";".join([*parts, own])


def _rules(text: str) -> Iterable[_Selector]:
    plain = _CONDITIONAL.sub(" ", _COMMENT.sub(" ", text[:200_000]))
    for selectors, declarations in _RULE.findall(plain):
        for selector in selectors.split(","):
            found = _COMPOUND.fullmatch(selector.strip())
            if found is None or not selector.strip():
                continue
            marks = re.findall(r"[.#][\w-]+", found["rest"])
            yield _Selector(
                (found["tag"] or "").lower(),
                frozenset(mark[1:] for mark in marks if mark[0] == "."),
                frozenset(mark[1:] for mark in marks if mark[0] == "#"),
                declarations.strip(),
            )


_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_INVISIBLE = frozenset(
    """
    script style noscript template iframe object embed svg math head input select option datalist audio video canvas
    """.split()
)
_BLOCKS = frozenset(
    """
    address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6
    header hr html li main nav ol p pre section summary table tbody tfoot thead tr ul br
    """.split()
)
_AS_IT_STANDS = ("pre", "textarea")
_HIDDEN_NOTE = "text that the page hides was left out"
_DATE_NAMES = (
    "article:published_time",
    "datepublished",
    "date",
    "dc.date",
    "dc.date.issued",
    "dcterms.created",
    "citation_publication_date",
    "citation_date",
    "publication_date",
    "pubdate",
    "parsely-pub-date",
    "article:modified_time",
    "last-modified",
)
_LINKED_DATA = re.compile(r"\"datePublished\"\s*:\s*\"([^\"]{4,40})\"")
_DEEPEST = 2_000
_DEEP = 200
_MANY_ELEMENTS = 15_000
_WHOLE_PAGE = 1_500
_MAIN_SHARE = 0.4


def read_html(content: bytes, limits: DocumentLimits, *, declared: str | None = None) -> Reading:
    """The visible text of a page, its title and its date.

    Raises:
        Unreadable: the page is no text, nests too deep, or is too long.
    """
    charset = _CHARSET.search(content[:4_096])
    text, notes = decode(content, declared or (charset[1].decode() if charset else None))
    tree = _parse(text)
    if tree is None:
        return Reading(text="", notes=notes)
    elements, depth = _shape(tree)
    if depth > _DEEPEST:
        raise Unreadable("SOURCE_UNREADABLE", "its elements are nested too deeply")
    title, published = _title(tree), _published(tree)
    notes = (*notes, *((_HIDDEN_NOTE,) if _hide(tree) else ()))
    whole = _visible(tree)
    within(whole, limits)
    # Telling the main part from the rest takes time that grows faster than the page; a list of links has none anyway.
    ordinary = elements <= _MANY_ELEMENTS and depth <= _DEEP and len(whole) > _WHOLE_PAGE
    main = _main_part(tree) if ordinary else ""
    return Reading(
        text=main if len(main) >= _MAIN_SHARE * len(whole) else whole, title=title, published_at=published, notes=notes
    )


def _parse(text: str) -> Any:
    from lxml import etree, html  # pyright: ignore[reportAttributeAccessIssue]  # etree is compiled and has no stubs

    text = text.replace("\0", "").strip()
    if not text:
        return None
    # The parser takes bytes only where a page declares an encoding of its own.
    # Without ``huge_tree`` it drops what nests deeper than 256 or runs longer than 10 MB, and goes on as if whole.
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=True)
    try:
        tree = html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise Unreadable("SOURCE_UNREADABLE", "the parser found no page in it") from error
    if any("excessive depth" in entry.message.lower() or "huge" in entry.message.lower() for entry in parser.error_log):
        raise Unreadable("SOURCE_UNREADABLE", "its elements are nested too deeply, or it is too long")
    return tree


def _shape(tree: Any) -> tuple[int, int]:
    """How many elements a page has and how deep they nest."""
    count = deepest = 0
    stack = [(tree, 1)]
    while stack:
        node, depth = stack.pop()
        count, deepest = count + 1, max(deepest, depth)
        stack.extend((child, depth + 1) for child in node)
    return count, deepest


def _hide(tree: Any) -> bool:
    """Take away what nobody sees; true when words were among it that the page itself hides."""
    styles = Styles(tree)
    words = False
    for node in list(tree.iter()):
        if not isinstance(node.tag, str) or node.getparent() is None:
            continue
        if node.tag in _INVISIBLE:
            _drop(node)
        elif styles.hides(node):
            words = words or bool("".join(node.itertext()).strip())
            _drop(node)
    return words


def _drop(node: Any) -> None:
    """Take a node away and leave the text behind it where it stands."""
    parent, before = node.getparent(), node.getprevious()
    if node.tail:
        if before is not None:
            before.tail = (before.tail or "") + node.tail
        else:
            parent.text = (parent.text or "") + node.tail
    parent.remove(node)


def _visible(tree: Any) -> str:
    """All text in reading order, a new paragraph for each block; without recursion, whatever the depth.

    Headings, list items, code and rows of tables keep their marks, as a writer of plain text would set them.
    """
    parts: list[str] = []
    stack: list[tuple[Any, bool]] = [(tree, False)]
    cells = 0
    while stack:
        node, done = stack.pop()
        tag = node.tag if isinstance(node.tag, str) else ""
        block = tag in _BLOCKS
        if done:
            if tag == "tr":
                parts.append(" |\n" + ("|" + " --- |" * cells + "\n" if _is_first_row(node) else ""))
            elif tag == "pre":
                parts.append("\n```\n\n")
            elif tag in ("td", "th"):
                cells += 1
            else:
                parts.append("\n\n" if block and tag not in ("br", "li", "tbody", "thead") else "")
            parts.append(_flat(node.tail) if node is not tree else "")
            continue
        if tag == "tr":
            cells = 0
        parts.append(_opening(tag) if block or tag in ("td", "th") else "")
        parts.append(_flat(node.text) if tag != "pre" else node.text or "")
        stack.append((node, True))
        stack.extend((child, False) for child in reversed(node))
    return re.sub(r"\n[ \t]*\n\s*", "\n\n", "".join(parts)).strip()


def _opening(tag: str) -> str:
    if re.fullmatch(r"h[1-6]", tag):
        return f"\n\n{'#' * int(tag[1])} "
    return {"br": "\n", "li": "\n- ", "pre": "\n\n```\n", "tr": "", "td": " | ", "th": " | "}.get(tag, "\n\n")


def _is_first_row(node: Any) -> bool:
    """Whether a row is the first of a table of more than one column: it names what stands below."""
    table = next((above for above in node.iterancestors("table")), None)
    first = None if table is None else next(iter(table.iter("tr")), None)
    return first is node and len(node) > 1


def _flat(text: str | None) -> str:
    return re.sub(r"\s+", " ", text) if text else ""


def _main_part(tree: Any) -> str:
    with needs("documents"):
        import trafilatura

    _unwrap(tree)
    found = trafilatura.extract(
        tree,
        output_format="markdown",
        include_comments=False,
        include_tables=True,
        include_formatting=True,
        favor_recall=True,
        deduplicate=False,
        with_metadata=False,
    )
    # A line of its own is a paragraph there; only rows and items of one table or list stand together.
    return re.sub(r"(?<=\S)\n(?=[^\n|\-*\d])", "\n\n", found or "")


def _unwrap(tree: Any) -> None:
    """Make all white space one blank, but for what is set as it stands: the end of a line ends no paragraph."""
    for node in tree.iter():
        if not isinstance(node.tag, str):
            continue
        kept = node.tag in _AS_IT_STANDS or next(node.iterancestors(*_AS_IT_STANDS), None) is not None
        if node.text and not kept:
            node.text = _flat(node.text)
        if node.tail and next(node.iterancestors(*_AS_IT_STANDS), None) is None:
            node.tail = _flat(node.tail)


def _title(tree: Any) -> str:
    for path in ("//meta[@property='og:title']/@content", "//title//text()", "//h1[1]//text()"):
        found = " ".join(str(part) for part in tree.xpath(path)[:20]).strip()
        if found:
            return _flat(found)[:300]
    return ""


def _published(tree: Any) -> str | None:
    values: dict[str, str] = {}
    for node in tree.iter("meta"):
        name = node.get("property") or node.get("name") or node.get("itemprop") or node.get("http-equiv") or ""
        values.setdefault(name.lower(), node.get("content") or "")
    for name in _DATE_NAMES:
        if made := read_date(values.get(name)):
            return made
    for node in tree.iter("script"):
        found = _LINKED_DATA.search(node.text or "") if "ld+json" in (node.get("type") or "") else None
        if found and (made := read_date(found[1])):
            return made
    for node in tree.iter("time"):
        if made := read_date(node.get("datetime") or node.text):
            return made
    return None
