"""The headings under which sources speak of what is asked: they say what there is to ask beside the question itself."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from averment.agents.researcher.result import section_of

if TYPE_CHECKING:
    from averment.agents.researcher.sources import SourceSurvey
    from averment.runtime.run_context import RunContext

_LOOKED_AT = 20
_MOST_WORDS = 5
_NO_THEME = re.compile(
    r"references?|footnotes?|copyright|acknowledge?ments?|abstract|summary|introduction|overview|contents|appendix.*|"
    r"notes?|links|see also|examples?|changelog|history|preface|index|further reading|external links|bibliography",
    re.IGNORECASE,
)


def headings_of(work: RunContext, found: SourceSurvey, query: str) -> tuple[str, ...]:
    """The headings above the best passages, those of most documents first; no title, and none that names no theme."""
    pins = {one.snapshot_sha256: one for one in found.pins}
    asked = " ".join(re.findall(r"\w+", query.lower()))
    counts: Counter[str] = Counter()
    documents: dict[str, set[str]] = {}
    for hit in found.hits[:_LOOKED_AT]:
        source = pins.get(hit.snapshot_sha256)
        path = section_of(work, source, hit.start) if source is not None else ()
        if len(path) < 2:
            continue  # The first heading is the document's own title.
        heading = " ".join(path[1].split()).strip(" :.")
        plain = " ".join(re.findall(r"\w+", heading.lower()))
        if plain and plain not in asked and len(plain.split()) <= _MOST_WORDS and not _NO_THEME.fullmatch(heading):
            counts[heading] += 1
            documents.setdefault(heading, set()).add(hit.snapshot_sha256)
    # What several documents have a heading for is a theme of the matter and not of one of them.
    return tuple(sorted(counts, key=lambda name: (-len(documents[name]), -counts[name], name)))
