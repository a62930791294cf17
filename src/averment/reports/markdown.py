"""A document as Markdown. Whatever came from data is escaped, so that no cell can become markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from averment.reports.document import Block, Cited, Code, Document, Grid

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")
_LINE_BREAKS = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def plain(text: str) -> str:
    """A text on one line with control and direction characters shown as what they are."""
    one_line = _LINE_BREAKS.sub(" ", text)
    return _CONTROL.sub(lambda match: f"\\u{ord(match.group(0)):04x}", one_line)


def escape(text: str) -> str:
    """A text that Markdown shows as it is; what looks like a citation marker in it can be read as none."""
    return _SPECIAL.sub(r"\\\1", plain(text)).replace("\\[cite:", "&#91;cite:")


def to_markdown(document: Document) -> str:
    """The whole document as Markdown, ending with one line break."""
    notes = [item.anchor for block in document.blocks if block.kind == "notes" for item in block.items]
    numbers = {anchor: number for number, anchor in enumerate(dict.fromkeys(notes), start=1)}
    parts = [f"# {escape(document.title)}", *(_block(block, numbers) for block in document.blocks)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _block(block: Block, numbers: Mapping[str, int]) -> str:
    match block.kind:
        case "heading":
            return f"## {escape(block.text)}"
        case "paragraph":
            return f"**{escape(block.text)}**" if block.strong else escape(block.text)
        case "bullets":
            return "\n".join(f"- {escape(item)}" for item in block.items)
        case "grid":
            return _grid(block)
        case "picture":
            return f"![{escape(block.alt)}]({block.name})"
        case "code":
            return _code(block)
        case "cited":
            return _prose(block, lambda cite: f"[^{numbers[cite]}]" if cite in numbers else "")
        case "notes":
            return "\n".join(f"[^{numbers[item.anchor]}]: {escape(item.text)}" for item in block.items)


def cited_prose(block: Cited) -> str:
    """Sentences with a ``[cite:id]`` marker for each note; what a source itself writes never becomes a marker."""
    return _prose(block, lambda cite: f"[cite:{cite}]")


def _prose(block: Cited, mark: Callable[[str], str]) -> str:
    said: list[str] = []
    for one in block.sentences:
        cites = " ".join(map(mark, one.cites))
        said.append(f"{escape(one.text)} {f'({escape(one.mark)} {cites})' if one.mark else cites}".rstrip())
    return " ".join([f"*{escape(block.lead)}*", *said] if block.lead else said)


def _grid(grid: Grid) -> str:
    lines = [
        "| " + " | ".join(escape(name) for name in grid.header) + " |",
        "|" + "|".join("---:" if right else "---" for right in grid.numeric) + "|",
        *("| " + " | ".join(escape(text) for text in row) + " |" for row in grid.rows),
    ]
    if grid.caption:
        lines += ["", escape(grid.caption)]
    return "\n".join(lines)


def _code(code: Code) -> str:
    longest = max((len(run) for run in re.findall(r"`+", code.text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{code.language}\n{code.text}\n{fence}"
