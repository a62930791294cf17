"""What the analyst can do is a list of skills: each reads questions, plans tasks, and concludes from their results.

A skill never guesses silently: a candidate reading says in words what it means, which of the question's words it did
not use, and how sure it is. The reasoner compares the candidates of all skills and answers, asks back or abstains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import Field

from averment.agents.analyst.caveats import limits
from averment.evidence.bind import cell, slot
from averment.records.base import Record
from averment.records.claim import Claim
from averment.records.run import Finding, Slot

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.records.analysis import Subtask
    from averment.spine.work import Work
    from averment.tables.catalog import Catalog
    from averment.tables.engine import Engine
    from averment.tables.profile import TableProfile

QUERY = "query"
"""The task whose table is the run's main result."""

CHART = "chart"
"""The task whose picture the report shows."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question over profiled tables; only columns the policy permits are in the profiles.

    ``engine`` lets a skill look values up while it reads; ``anchor`` is the day relative periods count from.
    """

    text: str
    profiles: tuple[TableProfile, ...]
    catalog: Catalog
    engine: Engine
    anchor: date | None = None


class Candidate(Record):
    """One way to read the question, by one skill."""

    skill: str
    reading: dict[str, Any]
    in_words: str
    score: float = Field(ge=0, le=1)
    unread: tuple[str, ...] = ()
    question_back: str | None = Field(default=None, description="What to ask when this reading is not sure enough.")


class Told(Record):
    """What a skill concludes: sentences bound to evidence, and the answer made of them."""

    findings: tuple[Finding, ...]
    answer: str
    claims: tuple[Claim, ...] = ()


class Skill(Protocol):
    """One kind of question the analyst can answer."""

    name: str

    def read(self, question: Question) -> Sequence[Candidate]:
        """Ways to read the question, the best first; none when it is not for this skill."""
        ...

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The plan's tasks; the one named ``query`` leaves the main table, the one named ``chart`` the picture."""
        ...

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """Findings from what the tasks left; none when the data carry no answer."""
        ...


def own_words(work: Work) -> str:
    """The words that may stand in a text by right: the user's, the reading's, the sources' names, and the caveats."""
    names = [name for table in work.catalog.tables for name in (table.name, *(c.name for c in table.columns))]
    said = [str(work.reading.get(key) or "") for key in ("in_words", "grade")]
    return " ".join([work.request.intent, *said, *names, *limits(work)])


def query_cell(work: Work, task: str, table: pa.Table, row: int, column: str) -> Slot:
    """A slot for one cell of the table a query task left, bound to that query's hash."""
    _, observation = work.answered[task]
    query_hash = str((observation.data or {})["query_hash"])
    return slot(cell(table, row, column, observation_id=observation.observation_id, query_hash=query_hash))
