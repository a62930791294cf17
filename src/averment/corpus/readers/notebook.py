"""Notebooks and LaTeX: their prose under its headings; code and formulas are marked as what they are."""

from __future__ import annotations

import json
import re
from typing import Any, cast

from averment.corpus.readers.archive import front_matter
from averment.corpus.readers.limits import DocumentLimits
from averment.corpus.readers.plain import decode, within
from averment.corpus.readers.reading import Reading, Unreadable

_COMMAND = re.compile(r"\\(?:emph|textbf|textit|texttt|textsc|underline|mbox|text|href\{[^}]*\})\{([^{}]*)\}")


def read_notebook(content: bytes, limits: DocumentLimits) -> Reading:
    """The Markdown of a notebook as it is written, its code fenced; outputs are left out.

    Raises:
        Unreadable: it is not a notebook.
    """
    text, notes = decode(content)
    try:
        data: Any = json.loads(text)
        cells = cast("list[dict[str, Any]]", data["cells"])
        parts = [(str(cell["cell_type"]), "".join(cell["source"])) for cell in cells]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Unreadable("SOURCE_UNREADABLE", "it is not a notebook") from error
    shown = [said if kind == "markdown" else f"```\n{said}\n```" for kind, said in parts if said.strip()]
    body = "\n\n".join(shown)
    within(body, limits)
    heading = re.search(r"^#{1,2}[ \t]+([^\n]+)", body, re.MULTILINE)
    return Reading(text=body, title=heading[1].strip() if heading else "", notes=notes)


def read_tex(content: bytes, limits: DocumentLimits, declared: str | None = None) -> Reading:
    """The prose of a LaTeX source: sections as headings, items as lists; formulas, comments and figures left out."""
    raw, notes = decode(content, declared)
    within(raw, limits)
    text = re.sub(r"(?<!\\)%[^\n]*", "", raw.replace("\r\n", "\n"))
    said = {name: _plain(found[1]) for name in ("title", "author", "date") if (found := _argument(text, name))}
    begin, end = text.find(r"\begin{document}"), text.rfind(r"\end{document}")
    body = text[begin + 16 if begin >= 0 else 0 : end if end > begin else None]
    for drawn in ("equation", "align", "figure", "tikzpicture", "lstlisting", "verbatim", "tabular", "thebibliography"):
        body = re.sub(rf"\\begin\{{{drawn}\*?\}}.*?\\end\{{{drawn}\*?\}}", "", body, flags=re.DOTALL)
    for level, name in enumerate(("chapter", "section", "subsection", "subsubsection"), start=1):
        body = re.sub(rf"\\{name}\*?\{{([^{{}}]*)\}}", rf"\n\n{'#' * level} \1\n\n", body)
    body = re.sub(r"\\item(?:\[([^\]]*)\])?\s*", lambda m: f"\n- {m[1] + ': ' if m[1] else ''}", body)
    head = front_matter(**{**said, "title": said.get("title")})
    shown = re.sub(r"\n\s*\n\s*", "\n\n", _plain(body)).strip()
    return Reading(text=head + shown if shown else "", title=said.get("title", ""), notes=notes)


def _argument(text: str, name: str) -> re.Match[str] | None:
    return re.search(rf"\\{name}\{{((?:[^{{}}]|\{{[^{{}}]*\}})*)\}}", text)


def _plain(text: str) -> str:
    for _ in range(3):
        text = _COMMAND.sub(r"\1", text)
    text = re.sub(
        r"\\(?:begin|end|label|cite[pt]?|ref|footnote|maketitle|usepackage|input)\b(?:\[[^\]]*\])?(?:\{[^{}]*\})?",
        "",
        text,
    )
    text = re.sub(r"\$\$.*?\$\$|\\\[.*?\\\]", "", text, flags=re.DOTALL)
    text = re.sub(r"\\(?:and|\\)", ", ", text)
    text = re.sub(r"\\([%&_#${}])", r"\1", text)
    return (
        re.sub(r"\\[a-zA-Z]+\*?(?:\[[^\]]*\])?|[{}]", "", text).replace("~", " ").replace("``", '"').replace("''", '"')
    )
