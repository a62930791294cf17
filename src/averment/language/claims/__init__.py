"""What sentences claim and what texts answer: pure reading, with no source, no clock and no network.

``focus`` reads the question, ``candidates`` and ``reader`` find what one text answers, ``piles`` and ``disputes`` put
several texts together, ``claims`` compares single sentences, ``values`` and ``names`` bring what is stated to one form,
``stance`` keeps denial, hedging and attribution, ``roles`` tells victor from beaten and one event from another.
"""

from __future__ import annotations

from averment.language.claims.claim_values import Agreement, Value, compare, read_values
from averment.language.claims.claims import Claim, agrees, clash, read_claims
from averment.language.claims.disputes import Dispute, find_disputes, probability
from averment.language.claims.focus import AnswerKind, Focus, read_focus
from averment.language.claims.names import Name, find_names, same_name
from averment.language.claims.pages import Page
from averment.language.claims.piles import Entry, PileText, Statement, gather
from averment.language.claims.reader import Reading, read
from averment.language.claims.stance import Stance, claims_something, read_stance
from averment.language.claims.vectors import Similarity
from averment.language.tokens import roots_of

__all__ = [
    "Agreement",
    "AnswerKind",
    "Claim",
    "Dispute",
    "Entry",
    "Focus",
    "PileText",
    "Similarity",
    "Name",
    "Page",
    "Reading",
    "Stance",
    "Statement",
    "Value",
    "agrees",
    "probability",
    "claims_something",
    "clash",
    "compare",
    "find_disputes",
    "find_names",
    "gather",
    "read",
    "read_claims",
    "read_focus",
    "read_stance",
    "read_values",
    "roots_of",
    "same_name",
]
