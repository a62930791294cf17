"""The embedded planner: a question becomes sub-questions, one for each facet that the corpus has something to say on.

Facets that no passage shows are dropped; where too few are left for the depth that was asked for, the names that the
passages speak of are asked about, then the facets that stay open.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from averment.agents.researcher.conflict_filter import spoken_words
from averment.agents.researcher.facets import FACETS, Facet, asks, is_topic, roots_of, topic_of, without_opening_capital
from averment.agents.researcher.facts import can_be_told
from averment.agents.researcher.questions import (
    HEADING,
    MAIN,
    OTHERS,
    ResearchQuestion,
    clip,
    make_question,
    plan_record,
)
from averment.language.claims.names import find_names, same_name
from averment.language.claims.pages import TextPage
from averment.records.research.plan import ResearchPlan, check_plan
from averment.records.research.request import DepthLevel

if TYPE_CHECKING:
    from averment.agents.researcher.sources import SourceSurvey
    from averment.records.research.run import ResearchRun


_DEFINED = re.compile(r"(?P<long>(?:[\w'’]+[\s-]+){2,7})\(\W{0,4}(?P<short>[A-Z][A-Za-z]{1,6})\W{0,4}\)")


def shortened(topic: str, texts: Iterable[str]) -> str:
    """The topic with the short form that texts define most often for words of it; the topic itself where none does.

    Where the topic is that thing in some place ("the global interpreter lock in CPython") the short form is enough:
    who defines it speaks of the one that is asked about.
    """
    plain = " ".join(topic.split())
    found: Counter[tuple[str, str]] = Counter()
    for text in texts:
        for one in _DEFINED.finditer(text):
            words = re.split(r"[\s-]+", one["long"].strip())[-len(one["short"]) :]
            initials = "".join(word[0] for word in words)
            long = " ".join(words)
            if initials.casefold() == one["short"].casefold() and f" {long.casefold()} " in f" {plain.casefold()} ":
                found[long.casefold(), one["short"]] += 1
    if not found:
        return topic
    long, short = max(found, key=lambda pair: (found[pair], len(pair[0]), pair))
    whole = re.fullmatch(rf"(?:(?:the|an?) )?{re.escape(long)}(?: (?:in|of|for) \S+)?", plain, re.IGNORECASE)
    return short if whole else re.sub(re.escape(long), short, plain, count=1, flags=re.IGNORECASE)


_HEADINGS = 2
_TARGET = {DepthLevel.QUICK: 4, DepthLevel.STANDARD: 6, DepthLevel.COMPREHENSIVE: 9}
_SECONDS_A_QUESTION = 3
_LONGEST_NAME = 5
_PAGE_WORDS = frozenset(
    """
    published updated retrieved archived posted written edited submitted copyright rights reserved privacy policy terms
    statement talk contributions menu search home login sign subscribe newsletter share tweet comment comments reply
    read more next previous page pages contents index table figure chapter section download print view views click
    related further reading external links sources references notes citation citations help about contact release date
    """.split()
)
_OPENS_A_SENTENCE = re.compile(r"[a-z]{3,}(?:ed|ing)")
_JOINED = re.compile(r"['’]s |['’] | (?:of|of the|de|de la|du|del|der|von|van|for|in the|and the) ")
"""What may stand inside one name: Tour de France, Women's League, CEO of Apple."""


def plan_questions(
    request: ResearchRun, found: SourceSurvey, headings: Sequence[str] = ()
) -> tuple[ResearchQuestion, ...]:
    """The sub-questions of a request, the question itself first, as many as its depth asks for.

    ``headings`` are those under which sources speak of it; some of them are asked about before the facets.

    Raises:
        PlanInvalid, PlanCycle: they do not fit the depth; cannot happen with these questions, and is checked.
    """
    topic = subject_of(request.intent)
    # Words cut out of a question read badly inside another one.
    spoken = topic if not asks(request.intent) or topic != topic_of(request.intent) else "what was asked"
    limits = request.limits
    # Sources name a thing in full once and by its short form after that.
    read_as = shortened(topic, (hit.text for hit in found.hits))
    proper = not is_topic(request.intent) or _has_proper_head(topic)
    drafts: list[tuple[str, str, str, str]] = [
        (request.intent, MAIN, "The question", request.intent),
        *_further_sources(request.intent, spoken, read_as),
        *(
            (f"What do the sources say on {spoken} under “{one}”?", HEADING, clip(one, 60), f"{read_as} {one}")
            for one in headings[:_HEADINGS]
        ),
        *((facet.ask(spoken), facet.key, facet.title, read_as) for facet in _grounded(read_as, found, proper=proper)),
    ][: _TARGET[request.depth_level]]
    if len(drafts) < limits.min_questions:
        asked = {key for _, key, _, _ in drafts}
        drafts += [
            (f"What is said about {name} and {spoken}?", "name", clip(name, 60), f"{name} {topic}")
            for name in names_in(found, request.intent)
        ]
        drafts += [(facet.ask(spoken), facet.key, facet.title, read_as) for facet in FACETS if facet.key not in asked]
        drafts = drafts[: limits.min_questions]
    questions = tuple(
        make_question(
            request.request_id, _long_enough(text), facet=facet, title=title, reading=reading, priority=priority
        )
        for priority, (text, facet, title, reading) in enumerate(drafts, start=1)
    )
    check_plan(plan_of(request, questions), request.depth_level)
    return questions


def _has_proper_head(topic: str) -> bool:
    """Whether a topic is a thing with a name of its own: "the Lindholm harbour", not "the lock in CPython"."""
    words = re.sub(r"^(?:the|an?) ", "", topic.strip(), flags=re.IGNORECASE)
    return any(name.span[0] == 0 for name in find_names(words))


def _further_sources(intent: str, spoken: str, read_as: str) -> list[tuple[str, str, str, str]]:
    """For a topic: what the sources say on it that the question itself does not reach; it is read by its short form."""
    if not is_topic(intent):
        return []
    return [(f"What do further sources say about {spoken}?", OTHERS, "In further sources", read_as)]


def subject_of(query: str) -> str:
    """What the facets are asked about: the things the question names, else its own words without the asking."""
    text = query.strip()
    # A capital that only opens the sentence names nothing.
    spans: list[tuple[int, int]] = []
    for name in find_names(without_opening_capital(query)):
        start, end = name.span
        if spans and _JOINED.fullmatch(text[spans[-1][1] : start]):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    names = list(dict.fromkeys(text[start:end] for start, end in spans))
    whole = [name for name in names if not any(name != other and name in other for other in names)]
    if not whole or is_topic(query):
        return topic_of(query)
    return clip(" and ".join(([", ".join(whole[:-1])] if whole[1:] else []) + whole[-1:]), 110)


def plan_of(request: ResearchRun, questions: tuple[ResearchQuestion, ...]) -> ResearchPlan:
    """The plan as the researcher contract draws it, with its estimated time."""
    return plan_record(request, questions, _SECONDS_A_QUESTION * len(questions))


def _grounded(topic: str, found: SourceSurvey, *, proper: bool) -> list[Facet]:
    """The facets that sentences on the topic show, the better supported first, equals in their own order."""
    about = roots_of(topic)
    sentences = [sentence.text for hit in found.hits for sentence in TextPage.of(hit.text).sentences]
    near = [sentence for sentence in sentences if about & roots_of(sentence)]
    support = {facet.key: sum(facet.is_shown(sentence, topic) for sentence in near) for facet in FACETS}
    # Who, where and when belong to what has a name of its own; of a kind of thing they are asked last.
    last = set[str]() if proper else {"who", "where", "when"}
    shown = (facet for facet in FACETS if support[facet.key])
    return sorted(shown, key=lambda facet: (facet.key in last, -support[facet.key]))


def names_in(found: SourceSurvey, query: str) -> Sequence[str]:
    """The names that passages about the question's own things speak of beside them, the most frequent first.

    A name that stands in a passage about something else has nothing to do with the question; a capital that only
    opens a sentence, or a heading of a page, names nothing.
    """
    asked = [name.text for name in find_names(without_opening_capital(query))]
    wanted = [spoken_words(name) for name in asked]
    near = [hit for hit in found.hits if any(name <= spoken_words(f"{hit.title} {hit.text}") for name in wanted)]
    small = {word for hit in found.hits for word in re.findall(r"(?<![.!?:·|] )\b[a-z][a-z'-]+", hit.text)}
    counts: Counter[str] = Counter()
    for hit in near:
        inside = {
            name.text
            for sentence in TextPage.of(hit.text).sentences
            if can_be_told(sentence.text)
            for name in find_names(sentence.text)
            if is_whole_name(name.text) and not (name.span[0] == 0 and name.text.split()[0].lower() in small)
        }
        counts.update(inside)
    kept: list[str] = []
    for name, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        if not any(same_name(name, other) for other in (*asked, *kept)):
            kept.append(name)
    return kept


def is_whole_name(name: str) -> bool:
    """Whether a name is worth a question: two to five words without a number, the last no word of a page; or initials.

    One capital word may only open a sentence; a long row of capitals is a list or a heading; what ends in a number
    ("Published 3 Years") was cut out of a sentence.
    """
    words = name.split()
    if len(words) == 1:
        return len(name) > 2 and name.isupper() and name.isalpha()
    if len(words) > _LONGEST_NAME or any(character.isdigit() for character in name):
        return False
    opens = words[0].lower()
    return opens not in _PAGE_WORDS and words[-1].lower() not in _PAGE_WORDS and not _OPENS_A_SENTENCE.fullmatch(opens)


def _long_enough(text: str) -> str:
    """The researcher contract wants ten characters of a sub-question; a shorter one is asked about in full."""
    return text if len(text) >= 10 else f"What is said about {text}?"
