"""The chart in terminals that can show pictures: kitty's protocol, or iTerm2's, which others speak as well."""

from __future__ import annotations

import base64
import os
import sys
from collections.abc import Callable, Iterator, Mapping

CHUNK = 4096
"""So many characters of a picture go into one command of kitty's protocol."""

WIDTH = "72%"
INLINE = frozenset({"iTerm.app", "WezTerm", "mintty", "vscode", "Tabby", "rio"})
"""Programs that name themselves in TERM_PROGRAM and show pictures by iTerm2's protocol."""


def shows_pictures(environment: Mapping[str, str], *, is_terminal: bool) -> str | None:
    """The protocol that the terminal speaks: kitty, iterm, or None; nothing is sent to ask it."""
    if not is_terminal or environment.get("NO_COLOR") or environment.get("TMUX"):
        return None  # A multiplexer swallows pictures and leaves rubbish.
    if environment.get("KITTY_WINDOW_ID") or environment.get("TERM") in {"xterm-kitty", "xterm-ghostty"}:
        return "kitty"
    return "iterm" if environment.get("TERM_PROGRAM") in INLINE else None


def picture(png: bytes, protocol: str) -> Iterator[str]:
    """What a terminal of that protocol draws as the picture, piece by piece."""
    text = base64.b64encode(png).decode("ascii")
    if protocol == "iterm":
        yield f"\x1b]1337;File=inline=1;width={WIDTH};preserveAspectRatio=1;size={len(png)}:{text}\x07\n"
        return
    for start in range(0, len(text), CHUNK):
        head = "a=T,f=100," if start == 0 else ""
        more = int(start + CHUNK < len(text))
        yield f"\x1b_G{head}m={more};{text[start : start + CHUNK]}\x1b\\"
    yield "\n"


def tell_picture(read: Callable[[], bytes]) -> None:
    """Draw a chart into this terminal, where it can show one; elsewhere nothing is read."""
    protocol = shows_pictures(os.environ, is_terminal=sys.stdout.isatty())
    if protocol is not None:
        for piece in picture(read(), protocol):
            sys.stdout.write(piece)
        sys.stdout.flush()
