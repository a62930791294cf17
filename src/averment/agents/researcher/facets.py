"""Facets: the sides from which a thing is looked at, each with the mark by which a sentence is known to show it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from averment.language.claims.claim_values import read_values
from averment.language.claims.names import find_names
from averment.language.stems import root
from averment.language.tokens import STOP_WORDS, content_words

_TOPIC_LENGTH = 110
_ASKING = re.compile(
    r"^(?:please\s+)?(?:research|investigate|find out(?: about)?|tell (?:me|us) about|report on"
    r"|summari[sz]e|describe|explain"
    r"|what (?:do|does) (?:the )?(?:sources?|documents?|texts?) say about|what is known about"
    r"|(?:what|who|when|where|why|which|how)(?: (?:many|much|long|old|far|often|large|big|high))?)\b\s*",
    re.IGNORECASE,
)
_NAME_OPENS = re.compile(r"(?P<first>[A-Z][\w'’-]+) (?:[A-Z]\.|[A-Z][a-z])")
_NO_NAME = STOP_WORDS | frozenset(
    "besides along together near next inside outside beyond within behind across against toward towards via".split()
)
_BRACKETED = re.compile(r"[(\[]\d[)\]]")
_AUXILIARY = re.compile(
    r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b\s*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Facet:
    """One side of a topic: how it is asked for, the section it makes, and whether a sentence shows it."""

    key: str
    title: str
    template: str
    shows: Callable[[str], bool]

    def ask(self, topic: str) -> str:
        """The facet as a question about a topic."""
        return self.template.format(topic=topic)

    def is_shown(self, sentence: str, topic: str) -> bool:
        """Whether a sentence shows the facet; the topic's own names do not count as news."""
        for name in find_names(topic):
            sentence = sentence.replace(name.text, "it")
        return self.shows(sentence)


def _marked(pattern: str) -> Callable[[str], bool]:
    found = re.compile(rf"\b(?:{pattern})", re.IGNORECASE)
    return lambda sentence: found.search(sentence) is not None


def _dated(sentence: str) -> bool:
    return any(value.kind == "moment" for value in read_values(sentence))


def _counted(sentence: str) -> bool:
    # A digit in brackets is a value of code, the number of a note or of an item: no figure of anything.
    amounts = [value.text for value in read_values(_BRACKETED.sub("", sentence)) if value.kind == "amount"]
    return any(not re.match(r"(?:an?|one)\b", text, re.IGNORECASE) for text in amounts)


def _peopled(sentence: str) -> bool:
    # A word in capitals, or with a sign inside, is the name of a thing: "PYTHONGIL Environment Variable".
    names = [name.text.split() for name in find_names(sentence)]
    return any(
        len(name) > 1
        and all(re.fullmatch(r"[^\W\d_]['’\w.-]*", word) for word in name)
        and not any(len(word) > 2 and word.isupper() for word in name)
        for name in names
    )


FACETS: tuple[Facet, ...] = (
    Facet("who", "Who is involved", "Who is named in connection with {topic}?", _peopled),
    Facet("when", "Dates", "Which dates are given about {topic}?", _dated),
    Facet("how_much", "Figures", "Which figures are given about {topic}?", _counted),
    Facet(
        "why",
        "Causes and reasons",
        "Which causes and reasons are given about {topic}?",
        _marked(
            r"because|due to|caus(?:e|ed|es|ing)\b|led to|leads to|result(?:s|ed)? (?:of|in|from)|reason|owing to"
            r"|therefore|thus\b"
        ),
    ),
    Facet(
        "change",
        "Developments",
        "What changed over time about {topic}?",
        _marked(
            r"increas|decreas|grew|grow(?:s|n|th)|rose|rise|fell|fall(?:s|en)|declin|chang|became|expan|reduc|improv|develop"
        ),
    ),
    Facet(
        "compared",
        "Comparisons",
        "What is {topic} compared with?",
        _marked(r"than\b|compar|unlike|whereas|similar|differ|largest|highest|lowest|smallest|best\b|worst|versus"),
    ),
    Facet(
        "risks",
        "Risks and criticism",
        "Which risks, problems or criticism are reported about {topic}?",
        _marked(
            r"risk|danger|problem|critic|concern|fail|damage|controvers|accident|threat|warn|lawsuit|injur|adverse|harm"
        ),
    ),
    Facet(
        "how",
        "How it works",
        "How does it work, or how was it done: {topic}?",
        _marked(r"by means|using|used to|method|process|consists?|made (?:of|from|up)|based on|designed|through\b"),
    ),
    Facet(
        "where",
        "Places",
        "Which places are named about {topic}?",
        _marked(r"(?-i:(?:in|at|near|from|to) [A-Z][a-z]+)|locat|situated|city|country|region"),
    ),
    Facet(
        "future",
        "Outlook",
        "What is planned or expected about {topic}?",
        _marked(r"plan(?:s|ned|ning)?\b|expect|will\b|forecast|propos|intend|future|aims? to|goal"),
    ),
)

BY_KEY = {facet.key: facet for facet in FACETS}


def without_opening_capital(question: str) -> str:
    """The question with a small first letter, unless its first word begins a name of several words."""
    text = question.strip()
    opening = _NAME_OPENS.match(text)
    if opening and opening["first"].lower() not in _NO_NAME and not _ASKING.match(text):
        return text
    return f"{text[:1].lower()}{text[1:]}"


_ARTICLE = re.compile(r"(?:the|an?) \S+(?: \S+){0,7}(?<![.!])$", re.IGNORECASE)


def asks(query: str) -> bool:
    """Whether a query is a question, and no topic in a few words."""
    return query.strip().endswith("?") or bool(
        re.match(r"(?:what|who|when|where|why|which|how)\b", query.strip(), re.I)
    )


def is_topic(query: str) -> bool:
    """Whether a query is a noun phrase with an article, or orders a research on one ("Research the tides of Norvik").

    Such a phrase is the topic as it stands.
    """
    return not asks(query) and bool(_ASKING.match(query.strip()) or _ARTICLE.match(query.strip()))


def topic_of(query: str) -> str:
    """What a question is about, in its own words: without the asking and without the end."""
    plain = " ".join(query.split()).rstrip("?!. ")
    topic = _AUXILIARY.sub("", _ASKING.sub("", plain)).strip(" :,")
    if len(topic) > _TOPIC_LENGTH:
        topic = topic[:_TOPIC_LENGTH].rpartition(" ")[0]
    return topic or plain[:_TOPIC_LENGTH]


def roots_of(text: str) -> frozenset[str]:
    """The roots of the words of a text that carry meaning."""
    return frozenset(root(word.stem) for word in content_words(text))
