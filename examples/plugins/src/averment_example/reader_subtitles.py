"""A reader of documents: subtitles (``.srt``) as the text that is spoken, without numbers and times."""

from __future__ import annotations

import re

from averment.corpus.readers.reading import DocumentKind, Reading, Unreadable

_TIME = re.compile(r"^\d\d:\d\d:\d\d[,.]\d\d\d --> \d\d:\d\d:\d\d[,.]\d\d\d")


def read(content: bytes) -> Reading:
    """Every spoken line, in its order."""
    lines = content.decode("utf-8-sig", errors="replace").splitlines()
    if not any(_TIME.match(line) for line in lines):
        raise Unreadable("SOURCE_UNREADABLE", "it holds no times, so these are no subtitles")
    spoken = [line.strip() for line in lines if line.strip() and not line.strip().isdigit() and not _TIME.match(line)]
    return Reading(text=" ".join(spoken))


SUBTITLES = DocumentKind(name="subtitles", suffixes=(".srt",), read=read)
