"""Writes docs/start/gallery.md: questions of each kind with what really came back, over the examples.

python scripts/make_gallery.py            write the page
python scripts/make_gallery.py --check    exit 1 when the page is not what the runs give
"""

from __future__ import annotations

import sys
import tempfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment import Workbench
from averment.settings import Settings

if TYPE_CHECKING:
    from averment.runtime.outcome import Run

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "start" / "gallery.md"
ASKED = Path(__file__).with_name("gallery.toml")
MADE = "<!-- Made by scripts/make_gallery.py; change scripts/gallery.toml, not this page. -->\n\n"


def told(run: Run) -> list[str]:
    """What a reader of the page sees of one run: the answer and how it was read, or what was offered instead."""
    lines = (run.answer or "").splitlines()
    if run.status == "clarification_needed":
        # An empty line makes Markdown begin a list where the offers begin.
        return [f"> {line}" for line in lines[:1]] + [">"] + [f"> {line}" for line in lines[1:]]
    return [f"> {line}" for line in lines] + [">", f"> *Interpreted as: {run.marks.interpretation}*"]


def page() -> str:
    """The page, from runs in a home that is thrown away."""
    gallery: dict[str, Any] = tomllib.loads(ASKED.read_text(encoding="utf-8"))
    lines = ["# Gallery of questions", "", *gallery["opening"].strip().splitlines(), ""]
    with tempfile.TemporaryDirectory() as home, Workbench(settings=Settings(home=Path(home))) as workbench:
        for section in gallery["section"]:
            sources = [str(ROOT / "examples" / name) for name in section["sources"]]
            names = " and ".join(f"`examples/{name}`" for name in section["sources"])
            lines += [f"## {section['title']}", "", f"Asked of {names}.", ""]
            before: Run | None = None
            for question in section["questions"]:
                after = before if section.get("conversation") else None
                before = workbench.analyze(question, sources, after=after)
                lines += [f"**{question}**", "", *told(before), ""]
    return MADE + "\n".join(lines)


def main() -> int:
    """Write or check the page."""
    from made_pages import write_or_check

    return write_or_check({PAGE: page()})


if __name__ == "__main__":
    sys.exit(main())
