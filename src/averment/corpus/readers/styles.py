"""Which parts of a page its own styles keep from the eye: hidden, moved away, shrunk to nothing, or white on white.

Styles are read as far as they can be without a browser: ``style`` attributes, and rules of ``<style>`` whose selector
is one tag, class or id, or several of them on one element. A rule behind a combinator, a condition or in another file
is not followed; what cannot be known is taken as seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

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
