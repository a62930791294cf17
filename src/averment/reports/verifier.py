"""The verifier: a section that checks a report in the browser, at the end of a report and as a page of its own."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import lru_cache
from html.parser import HTMLParser
from importlib import resources

_BLOCKS = frozenset({"h1", "h2", "h3", "p", "li", "caption", "th", "td", "pre"})

SECTION = """<section class="check" id="check" aria-labelledby="check-title">
<h{level} id="check-title">Check {what}</h{level}>
<p>Choose {chosen} and, if you have them, the tables it was computed from. Everything happens in this browser; no file
leaves this computer.</p>
<p><label for="check-files">Report and tables</label> <input id="check-files" type="file" multiple></p>
<p><label for="check-key">Public key you trust, if you have one</label> <input id="check-key" type="text" size="40"
autocomplete="off" spellcheck="false"></p>
<div id="check-result" role="status" aria-live="polite"></div>
<details><summary>What is checked here, and what is not</summary>
<ul>
<li>Checked: that no byte of the file changed since it was signed; that the run was sealed in a signed log; that answer,
plan and findings are the sealed ones; that every shown sentence is what was exported; that the tables are the very
files, by their hashes.</li>
<li>Computed again from a text file: counts, totals, averages, medians, shares, lowest and highest values of one table,
with plain filters and groups.</li>
<li>Not checked: all other computations, pictures beyond the signature, whether the question was interpreted as you mean
it, and whose key signed it unless you enter the key. <code>averment verify report.html</code> computes everything
again.</li>
{caution}</ul></details>
<noscript><p>This check needs JavaScript. Without it, run <code>averment verify report.html</code>.</p></noscript>
</section>
"""
_CAUTION = (
    "<li>A file that somebody forged can also lie about itself. To be safe, open the verifier page that "
    "<code>averment verifier</code> writes, from somebody you trust, and choose this file there.</li>\n"
)


@lru_cache(maxsize=1)
def script() -> str:
    """The program of the page."""
    folder = resources.files("averment.reports")
    parts = [folder.joinpath(name).read_text(encoding="utf-8") for name in ("verifier_plan.js", "verifier.js")]
    return "".join(f"{part.rstrip()}\n" for part in parts) + "begin();\n"


@lru_cache(maxsize=1)
def script_hash() -> str:
    """What a content security policy names the program by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script().encode()).digest()).decode()


def in_report() -> str:
    """The section at the end of a report, with its program."""
    section = SECTION.format(level=2, what="this report", chosen="this very file", caution=_CAUTION)
    return f"{section}<script>{script()}</script>\n"


def verifier_page(tokens: str, style: str) -> str:
    """The page as one file of its own."""
    section = SECTION.format(level=1, what="an Averment report", chosen="an exported report (.html)", caution="")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy()}">\n'
        f"<title>Check a report – Averment</title>\n<style>\n{tokens}{style}</style>\n</head>\n<body>\n"
        f"<main>\n{section}</main>\n<script>{script()}</script>\n</body>\n</html>\n"
    )


def policy() -> str:
    """What a report or the page may do: show itself and run this one program."""
    return f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src '{script_hash()}'"


def shown_texts(html: bytes) -> list[str]:
    """Every text of a report's articles, block by block, as the page finds it in the file again."""
    reader = _Texts()
    reader.feed(html.decode())
    return [re.sub(r"\s+", " ", "".join(parts)).strip() for parts in reader.texts]


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[list[str]] = []
        self._open: list[list[str]] = []
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        _ = attrs
        self._depth += tag == "article"
        if self._depth and tag in _BLOCKS:
            self._open.append([])
            self.texts.append(self._open[-1])

    def handle_endtag(self, tag: str) -> None:
        self._depth -= tag == "article"
        if tag in _BLOCKS and self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        for texts in self._open:
            texts.append(data)
