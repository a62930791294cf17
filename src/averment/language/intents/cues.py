"""Plain signs of what a sentence wants, found by patterns of a few words.

A sign alone proves little ("change" is as good for a task as for a playlist), so the classifier weighs the signs
together with everything else it sees; where two meet, such as a question for causes and a movement, they have a sign
of their own.
"""

from __future__ import annotations

import re

from averment.language.intents.vocabulary import (
    CAUSE,
    DATA,
    METRIC,
    MOVE,
    REFERENCE,
    SOURCES,
    STATISTIC,
    TASK_WORDS,
    VERB_PAST,
    pattern,
)

_UNDO = pattern(
    r"\bundo\b",
    r"\bun-?delete\b",
    r"\brevert\b",
    r"\bctrl[ +-]?z\b",
    r"\broll (?:that|it|this) back\b",
    r"\brestore (?:it|that|the|my)\b",
    r"\b(?:take|put|get|bring|change|set|turn|switch) (?:it|that|this|everything|what you \w+) back\b",
    r"\b(?:take|put|get|bring|change|set|turn|switch) (?:the|that|my) [\w ]{1,30}? back\b",
    r"\b(?:put|bring|take|get) back (?:the|what|my|that|it)\b",
    r"\bgo back (?:one|a) step\b",
    r"^(?:please )?(?:step|go) back$",
    r"\breverse (?:that|it|this|what|the)\b",
    r"\b(?:how|the way) it was\b",
    r"\buncheck\b",
    r"\bunmark\b",
    r"\breopen\b",
    r"\bi take that back\b",
    r"\b(?:recover|return|restore) (?:the|that|my) (?:deleted|removed|last|old|previous|task|item|title)\b",
    r"\b(?:last|latest) (?:change|edit|thing|action)\b.*\b(?:wrong|mistake|back|not)\b",
    r"\bscratch (?:that|the) last\b",
    r"\bcancel the change\b",
    r"\b(?:mistake|wrong one)\b.*\b(?:restore|back)\b",
)
_UPDATE_VERB = pattern(
    r"\b(?:rename|reword|rephrase|retitle|amend|modify|edit|revise|alter|adjust|append|overwrite|rewrite|reschedule|correct|update|extend|replace|swap|change|fix|insert|shift|move|push|turn)\b",
)
_UPDATE_SHAPE = pattern(
    r"\bshould (?:say|read|be|mention|have)\b",
    r"\bmake (?:it|that|the [\w ]+?|task \w+|number \w+) (?:say|read|a\b|for\b|two\b)",
    r"\bset the (?:title|description|name|text|date|deadline) (?:of|for|on|in|to)\b",
    r"\b(?:put|add) (?:a )?(?:note|detail|line) (?:on|to)\b",
    r"\bnote (?:on|to|in) (?:the|task|number|#)",
    r"\badd to (?:the|task|number|#)[\w ]*? (?:that|:)",
    r"\bin the description\b",
    r"\b(?:title|description|wording|deadline|notes?) (?:of|for|on|in) (?:the|task|number|#|it)",
    r"\bto say\b",
    r"\binstead\b.*\b(?:it|task|one)\b",
    r"\b(?:let's )?call the (?:\w+ )?(?:one|task|item)\b.*\binstead\b",
    r"\bthe description (?:for|of)\b",
    r"\bgive the [\w ]+ (?:a|another) (?:better |new )?(?:name|title)\b",
    r"\bit should say\b",
    r"^actually make (?:it|that)\b",
    r"\bwrite '[^']+' instead\b",
    r"\bfor the \w+ one, write\b",
    r"\bput '[^']+' in (?:front|task)",
)
_COMPLETE = pattern(
    r"\b(?:tick|check|cross|strike)(?:ed)?\b[\w #,]*\boff\b",
    r"\b(?:tick|check) off\b",
    r"\btick (?:it|that|the|number|#)\b",
    r"\bmark (?:[\w #,']+ )?(?:as )?(?:done|complete|completed|finished)\b",
    r"\bmark (?:it|that)$",
    r"\bmark as (?:done|complete|completed)\b",
    r"\bset (?:[\w #]+ )?(?:to|as) (?:done|complete|completed|finished)\b",
    r"^(?:please )?complete (?:#?\d|tasks?\b|that|it|number|the|them|both|all)",
    r"\bcheck mark\b",
    r"^(?:all )?(?:done|completed|finished)\b",
    r"\b(?:close|finish) (?:out|off)?\s?(?:the [\w ]*?task|task|number|item|#)\b",
    r"\b(?:task|item|number|one|thing|that|it|#\d+)(?: \w+)?(?: is|'s| are| was| has been)(?: now)? "
    r"(?:done|complete|completed|finished|closed|sorted|taken care|ready)\b",
    r"\bis (?:done|finished|complete|completed)(?: and dusted)?[.!]?$",
    r"\b(?:are|is|has been|have been) (?:done|finished|taken care of|booked|washed|sorted)\b",
    r"\bconsider\b.*\b(?:done|closed|finished)\b",
    r"\bi did it\b",
    r"\b(?:you|we) can (?:close|tick|check) (?:that|it|the|off)\b",
    r"\bjob done\b",
    r"\bclose task\b",
    r"\bcomplete it\b",
)
_DID = re.compile(rf"^(?:yep,? |yes,? |ok,? )?(?:i|we)(?:'ve| have)?(?: already| just| finally)? (?:{VERB_PAST})\b")
_ASKS = re.compile(r"(?:what|which|who|where|when|why|how|is|are|do|does|did|can|could|will|would|should|has|have)\b")
_NOT_DONE = re.compile(r"\b(?:not|n't|never|if|when|until|did i|have i|should)\b|\?")


CUES = (
    "undo",
    "drill",
    "update",
    "update_shape",
    "complete",
    "did",
    "research",
    "analyze",
    "about_task",
    "cause",
    "move",
    "metric",
    "statistic",
    "data",
    "question",
)
"""What ``cues`` may name, in the order of the classifier's weights."""


def cues(text: str) -> frozenset[str]:
    """Which plain signs of an intent the words hold."""
    plain = " ".join(text.casefold().replace("\u2019", "'").split())
    about_task = bool(REFERENCE.search(plain) or TASK_WORDS.search(plain))
    cause, move, metric = (bool(pattern.search(plain)) for pattern in (CAUSE, MOVE, METRIC))
    statistic, data = bool(STATISTIC.search(plain)), bool(DATA.search(plain))
    finished, shaped = bool(_COMPLETE.search(plain)), bool(_UPDATE_SHAPE.search(plain))
    told = {
        "undo": bool(_UNDO.search(plain)),
        "drill": cause and (move or metric),
        "update": about_task and bool(_UPDATE_VERB.search(plain)) and not finished,
        "update_shape": shaped and not finished,
        "complete": finished and not _NOT_DONE.search(plain),
        "did": bool(_DID.search(plain)) and not _NOT_DONE.search(plain),
        "research": bool(SOURCES.search(plain)),
        "analyze": statistic and data,
        "about_task": about_task,
        "cause": cause,
        "move": move,
        "metric": metric,
        "statistic": statistic,
        "data": data,
        "question": plain.endswith("?") or bool(_ASKS.match(plain)),
    }
    return frozenset(name for name, there in told.items() if there)
