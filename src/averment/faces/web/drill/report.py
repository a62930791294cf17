"""The report of a drill as a part of a page: its six parts in order, and every bound number a link to its proof."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from urllib.parse import quote

from markupsafe import Markup

from averment.faces.web.runs.proofs import cut
from averment.operations import Operations
from averment.records.run import Finding
from averment.reports.markdown import plain
from averment.workbench import Workbench

_HEADING = re.compile(r"<h2>([^<]*)</h2>")
_PICTURE = re.compile(r'<figure><img src="data:image/png;base64,[^"]*" alt="([^"]*)"></figure>')
_FOOTER = re.compile(r"<p>(Generated [^<]*)</p>\s*</article>")


def linked(text: str, findings: Sequence[Finding], run_id: str) -> Markup:
    """A text as HTML; each sentence of a finding in it has its numbers linked to their proof."""
    return Markup(_link(escape(plain(text), quote=True), findings, run_id))


def report_html(
    workbench: Workbench,
    run_id: str,
    findings: Sequence[Finding],
    pictures: Mapping[str, tuple[str, int, int]],
    *,
    root: str | None,
) -> Markup:
    """The report between its title and its proof; ``pictures`` has for a chart's words its address and its size.

    ``root`` is what the run was sealed with: under the same root the report is the same.
    """
    # The report's own renderer escaped every text in it; what is put in here is escaped as well.
    body = _PICTURE.sub(
        lambda found: _picture(found.group(1), pictures), _kept_body(_ReportMaker(workbench), run_id, root)
    )
    body = _HEADING.sub(lambda found: f'<h3 id="{_anchor(found.group(1))}">{found.group(1)}</h3>', body)
    body = _FOOTER.sub(r'<p class="soft report-foot">\1</p></article>', body)
    body = body.replace('<div class="scroll">', '<div class="scroll" tabindex="0" role="region" aria-label="Table">')
    body = body.replace("<pre>", '<pre tabindex="0">').replace('<th class="number">', '<th scope="col" class="number">')
    body = body.replace("<th>", '<th scope="col">').replace('<th scope="col"></th>', "<td></td>")
    return Markup(_link(body, findings, run_id))


class _ReportMaker:
    """A workbench that is the same to the cache whenever its home is."""

    def __init__(self, workbench: Workbench) -> None:
        self.workbench = workbench
        self._home = str(workbench.settings.home)

    def __hash__(self) -> int:
        return hash(self._home)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ReportMaker) and other._home == self._home


@lru_cache(maxsize=16)
def _kept_body(maker: _ReportMaker, run_id: str, root: str | None) -> str:
    """The report's article without its title, made once for each root."""
    _ = root
    whole = Operations(maker.workbench).export(run_id, "html").decode()
    article = whole.partition('<article class="report">')[2].partition("</article>")[0]
    return f'<article class="report">{article.partition("</h1>")[2]}</article>'


def _link(body: str, findings: Sequence[Finding], run_id: str) -> str:
    """The body with each finding's sentence cut into words and linked numbers; the longest are looked for first."""
    ordered = sorted(findings, key=lambda finding: -len(finding.text))
    for number, finding in enumerate(ordered):
        if finding.text:
            body = body.replace(escape(plain(finding.text), quote=True), f"\x00{number}\x00")
    return re.sub("\x00(\\d+)\x00", lambda found: _pieces(ordered[int(found.group(1))], run_id), body)


def _pieces(finding: Finding, run_id: str) -> str:
    parts: list[str] = []
    for piece in cut(finding):
        words = escape(plain(piece.text), quote=True)
        if piece.slot is None:
            parts.append(words)
            continue
        place = f"/runs/{quote(run_id)}/proof/{quote(finding.finding_id, safe='')}/{quote(piece.slot, safe='')}"
        parts.append(f'<a class="number-link" href="{place}" data-swap="#panel" title="See the proof">{words}</a>')
    return "".join(parts)


def _picture(words: str, pictures: Mapping[str, tuple[str, int, int]]) -> str:
    known = pictures.get(words)
    if known is None:
        return f"<p>{words}</p>"
    place, width, height = known
    return (
        f'<figure><img src="{escape(place, quote=True)}" alt="{words}" width="{width}" height="{height}" '
        'loading="lazy"></figure>'
    )


def _anchor(heading: str) -> str:
    return "report-" + re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")
