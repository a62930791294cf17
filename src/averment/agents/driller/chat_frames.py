"""What a reply in a session's chat may say: lines of its records, its memory's passages, and frames around them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from averment.agents.driller.chat_direct import (
    bullets_of,
    cause_line,
    count_line,
    figures_line,
    mover_words,
    sentences_in,
    total_change,
    without_line,
)
from averment.agents.driller.memory import compile_passages
from averment.agents.driller.session_export import Investigation
from averment.claims.frames import AllowedSentences, Frame

OFFER = (
    "Ask about a segment or a column of the breakdown, the causes, price or volume, what was ruled out and why, how "
    "sure it is, whether the data are complete, or what to do next."
)
BEYOND = "The investigation's records do not answer that"
FRAMES = tuple(
    map(
        Frame,
        (
            f"{BEYOND}: they cover what happened, not what will happen.",
            f"{BEYOND}. {OFFER}",
            f"{BEYOND}, and neither does a new query of the session's files. {OFFER}",
            "From a new query of the session's files: {answer}",
            "It is part of explanation {rank}: {title}.",
            "The metric is a quotient, so it cannot be had without {value} by subtraction.",
            "Explanation {rank} is about the number of rows: {title}.",
            "Explanation {rank} is about the value of each: {title}.",
            "Explanation {rank} is about the mix: {title}.",
            "Explanation {rank} is about the metric itself, not the mix: {title}.",
            "{title}: {found}",
            "{title}: it was ruled out.",
            "Nothing was ruled out.",
            "{rank}. {title} ({likelihood}).",
            "{title}.",
            "No cause is proven.",
            "The largest movers are {movers}.",
            "Beyond their own noise are {beyond}.",
            "No fault of the data was found.",
        ),
    )
)
"""Every frame sentence of a reply."""


def chat_told(found: Investigation, answer: str | None = None) -> AllowedSentences:
    """Everything that a reply may say; ``answer`` is what a run made for the question said, in its own claims."""
    told = found.explanations or ()
    titles = [one.title for one in told] + [one.title.rstrip(".") for one in found.hypotheses]
    movers = sorted(found.breakdown, key=lambda mover: -abs(mover.change))[:3]
    beyond = [mover.value for mover in found.breakdown if mover.verdict == "beyond noise"]
    allowed = {
        "answer": [answer or ""],
        "rank": [str(one.rank) for one in told],
        "title": titles,
        "value": [mover.value for mover in found.breakdown],
        "found": [one.summary for one in found.findings],
        "likelihood": [one.likelihood for one in told],
        "movers": [_listed([mover_words(mover) for mover in movers])] if movers else [],
        "beyond": [_listed(beyond[:most]) for most in range(1, len(beyond) + 1)],
    }
    return AllowedSentences(_lines(found), FRAMES, allowed)


def _lines(found: Investigation) -> Iterator[str]:
    """Every line that stands in the records, or says one row of them."""
    yield from (passage.text for passage in compile_passages(found))
    yield from (one.summary for one in found.findings)
    for one in found.explanations or ():
        yield cause_line(one)
        yield from (one.reasoning, one.causal_story, *sentences_in(one.reasoning))
    total = total_change(found)
    before, after = found.context.side_words("baseline"), found.context.side_words("comparison")
    when = "in" if found.context.groups is not None else "from"
    for mover in found.breakdown:
        yield figures_line(found, mover)
        yield count_line(mover, before, after, when)
        if total is not None:
            yield without_line(mover, total)
    yield from bullets_of(found, "Recommended Next Steps")
    for line in (found.report or "").splitlines():
        yield line.strip("* ").replace("\\", "")
        yield from (part.replace("\\", "").strip("* ") for part in re.findall(r"Unexplained stays [^\n]*", line))


def _listed(parts: list[str]) -> str:
    from averment.language.sentences import join_list

    return join_list(parts)
