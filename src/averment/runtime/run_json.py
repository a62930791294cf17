"""What runs keep as JSON: what is known before a question is read, how it was read, and what was made of each round.

These are the bodies that are stored, told in events and sealed. A field that is not there was not needed. An agent that
a plugin adds writes ``in_words``, and keeps what else it wants to find again under ``reading``.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypeAlias, TypedDict

from averment.records.dataset import DatasetWords

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object whose form another record holds; the field that has it says which."""


class Teaching(TypedDict):
    """A word that is taught, as it was said."""

    word: str
    """The word."""
    means: str
    """What it means, in the words of whoever teaches it."""


class KnownBefore(TypedDict, total=False):
    """What is known of a question before it is read."""

    plan: JsonObject
    """The plan to carry out, of ``averment.plan/1``."""
    sql: str
    """The query to run as it is written."""
    grade: str
    """How the plan or query came about: given or chosen."""
    chosen_from: str
    """The run whose offer was chosen."""
    teach: Teaching
    """The word that the run teaches."""
    chart: str
    """The kind of chart to draw."""
    agent: str
    """The added agent that answers."""
    dataset: DatasetWords
    """The dataset that is asked, with what was said of it."""
    after: str
    """The run that the question follows."""
    after_plan: JsonObject
    """That run's plan, which the question changes."""
    after_odds: float
    """How sure that plan is."""
    after_open: list[list[Any]]
    """Pairs of plan and odds, where that run left open which is meant."""


class KeptOffer(TypedDict):
    """A reading to choose, with what it gives; ``runtime.outcome.Offer`` as JSON."""

    read_back: str
    """What it would mean, in words."""
    plan: JsonObject
    """Its plan, or ``{"sql": …}``."""
    odds: float
    """How likely it is meant."""
    left: NotRequired[list[str]]
    """The words of the question that it does without."""
    columns: list[str]
    """The columns of what it gives."""
    rows: list[Any]
    """The first rows of it."""
    row_count: int
    """How many rows it gives."""


class EndsLeftOut(TypedDict):
    """The periods at the ends of a series that the data do not cover."""

    periods: list[str]
    """The periods, as the result names them."""
    said: str
    """That they are left out, and why."""


class Foreseen(TypedDict, total=False):
    """What the profiles say of the columns that a reading speaks of."""

    gaps: list[str]
    """The columns with missing values."""
    marks: list[str]
    """What is said of columns whose values are partly taken for missing."""
    ends: EndsLeftOut | None
    """The ends of a series that are not whole."""
    few_rows: bool
    """Whether the tables have few rows."""


class UsedRecipe(TypedDict):
    """The recipe that a plan came from."""

    recipe_id: str
    """Its id."""
    template: str
    """Its question, with placeholders."""
    success_count: int
    """How often it had worked before."""
    confirmed: NotRequired[bool]
    """Whether a person chose its plan."""
    drift: NotRequired[str]
    """The change of columns that it was carried over."""


class ModelUse(TypedDict, total=False):
    """What a run spent on its model; empty where none was called."""

    provider: str
    """Who serves the model."""
    model: str
    """Its name."""
    calls: int
    """How often it was asked."""
    tokens_in: int
    """Tokens sent."""
    tokens_out: int
    """Tokens received."""
    cost: float | None
    """What that cost, if known."""


class SourceRead(TypedDict):
    """What became of one source that a research was given."""

    url: str
    """Where it is."""
    outcome: str
    """Whether it was added, was there already, or was refused."""
    document_id: NotRequired[str]
    """The document that it became."""
    snapshot_sha256: NotRequired[str]
    """The digest of its archived text."""
    code: NotRequired[str]
    """The code of the error that it was refused with."""
    reason: NotRequired[str]
    """That error's message."""


class AnalysisReading(TypedDict, total=False):
    """How a question about tables was read."""

    skill: str
    """Which skill carries it out."""
    read_as: str
    """What is computed, in words."""
    reading: JsonObject
    """What that skill works from: a plan, a query, a chart; for an added agent whatever it keeps."""
    told: list[str]
    """Notes on the taught words that were used."""
    taught: list[JsonObject]
    """Those words' meanings."""
    unread: list[str]
    """Words that were not understood."""
    alternatives: list[str]
    """Other readings, in words."""
    grade: str
    """How the plan came about, a key of ``records.marks.GRADES``; runs of 0.3.0 and before hold it in words."""
    odds: float | None
    """How likely it is meant, where that was judged."""
    judged: JsonObject
    """What the judge weighed, as ``reading.judge`` records it."""
    recipe: UsedRecipe | None
    """The recipe that it came from."""
    confirmed: str
    """Who confirmed the reading, so that it may become a recipe: a ``person``, two ``readings``, or nobody."""
    teaches: JsonObject
    """The plan that a recipe is made of where the run carries out a query that comes to the same rows."""
    general: JsonObject
    """The question with placeholders, for recipes."""
    foreseen: Foreseen
    """What the profiles warn of."""
    offers: list[KeptOffer]
    """The readings to choose from, where the question is asked back."""
    rivals: list[KeptOffer]
    """What could be meant as well where the question was answered, to be chosen as offers are."""
    left: list[str]
    """The words that found no place."""
    model: ModelUse
    """What was spent on a model."""


class InvestigationReading(TypedDict, total=False):
    """How the question why a metric moved was read; the bodies are records of ``records.drilldown`` as JSON."""

    metric: JsonObject
    """The metric as it was read."""
    investigation: JsonObject
    """Tables, dimensions, days and sides, as the driller reads them again."""
    data_model: JsonObject
    """The ``DataModel``."""
    analysis_plan: JsonObject
    """The ``AnalysisPlan``."""
    hypotheses: list[JsonObject]
    """The first hypotheses, each a ``Hypothesis``."""


class ResearchReading(TypedDict, total=False):
    """How a question for a research was read."""

    read: list[SourceRead]
    """What became of the sources that were named."""
    trust: dict[str, float]
    """How far each site is trusted, by the settings."""
    corpus: dict[str, int]
    """How many ``documents`` the research could see."""
    by_words: bool
    """Whether sources are ranked by words alone."""
    nearest: list[str]
    """The titles nearest to the question."""
    questions: list[JsonObject]
    """The sub-questions of the plan."""
    plan: JsonObject
    """The research plan without its questions."""


class KeptReading(AnalysisReading, InvestigationReading, ResearchReading, total=False):
    """How a question was read, with the fields of the agent that read it."""

    in_words: str
    """How the question was read, in words; every agent says it."""


class KeptRound(TypedDict, total=False):
    """What was made of a round, with the fields of the agent that made it."""

    finding: JsonObject
    """What it found; its ``summary`` is shown while the run goes on. An investigation keeps a whole ``Finding``."""
    iteration: JsonObject
    """Of an investigation: the ``IterationLog``."""
    hypotheses: list[JsonObject]
    """Of an investigation: every ``Hypothesis`` as it stands after the round."""
    exit_reason: str | None
    """Of an investigation: why it ends with this round, if it does."""
    question_id: str
    """Of a research: the question that was searched."""
    answered: bool
    """Of a research: whether what was found answers it."""
    facts: list[JsonObject]
    """Of a research: the facts with their places."""
    discrepancies: list[JsonObject]
    """Of a research: where the sources disagree, each a ``Discrepancy``."""
    unreachable: list[dict[str, str]]
    """Of a research: the pages that could not be read, and why."""
