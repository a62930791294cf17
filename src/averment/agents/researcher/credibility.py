"""How far a source is trusted: patterns of domains with a score, the most exact pattern first.

The map is a heuristic and configurable; a pattern is a domain (it covers the domains below it) or a glob such as
``*.gov``. A source that no pattern knows gets the neutral score.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from averment.records.research.sources import CREDIBILITY_MAP, credibility_of

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext

NEUTRAL = 0.5
"""The score of a source nobody has judged."""

DEFAULT_PATTERNS: Mapping[str, float] = MappingProxyType(
    {
        **CREDIBILITY_MAP,
        "*.gov": 0.92,
        "*.gov.*": 0.9,
        "*.mil": 0.85,
        "*.int": 0.9,
        "*.edu": 0.88,
        "*.ac.*": 0.88,
        "europa.eu": 0.92,
        "nature.com": 0.95,
        "science.org": 0.95,
        "who.int": 0.93,
        "apnews.com": 0.93,
        "bbc.co.uk": 0.9,
        "bbc.com": 0.9,
        "ft.com": 0.93,
        "economist.com": 0.92,
        "nytimes.com": 0.9,
        "theguardian.com": 0.88,
        "britannica.com": 0.9,
        "local": 0.7,
        "medium.com": 0.4,
        "*.blogspot.com": 0.3,
        "*.wordpress.com": 0.3,
        "reddit.com": 0.3,
        "x.com": 0.3,
        "twitter.com": 0.3,
        "facebook.com": 0.3,
    }
)
"""Where a caller gives no map; files of the user's own corpus stand between the press and the unknown."""


def judge_source(domain: str, url: str, trust: Mapping[str, float]) -> float:
    """The score of a source by what a person set for its folder or domain, else by the default patterns."""
    if url.startswith("file://"):
        path = unquote(urlsplit(url).path)
        folders = [one for one in trust if one.startswith("/") and (f"{path}/").startswith(f"{one.rstrip('/')}/")]
        if folders:
            return trust[max(folders, key=len)]
    own = {name: score for name, score in trust.items() if not name.startswith("/")}
    return judge_domain(domain, {**DEFAULT_PATTERNS, **own})


def trust_of(work: RunContext) -> dict[str, float]:
    """What a person had set when a research began; kept with it, so that its report can be made again."""
    return dict(work.state.reading.get("trust", {}))


def judge_domain(domain: str, patterns: Mapping[str, float] = DEFAULT_PATTERNS) -> float:
    """The score of a domain: by itself or the nearest domain above it, else by the longest glob that fits."""
    exact = credibility_of(domain, patterns)
    if exact is not None:
        return exact
    folded = domain.lower().rstrip(".")
    fitting = [pattern for pattern in patterns if "*" in pattern and fnmatchcase(folded, pattern)]
    return patterns[max(fitting, key=len)] if fitting else NEUTRAL
