"""Which skills the analyst has, in the order in which equals are preferred, and which of them own a kind."""

from __future__ import annotations

from averment.agents.analyst.aggregate import AggregateSkill
from averment.agents.analyst.cohorts import CohortsSkill
from averment.agents.analyst.contrast import ContrastSkill
from averment.agents.analyst.correlations import CorrelationsSkill
from averment.agents.analyst.derived import DerivedSkill
from averment.agents.analyst.distribution import DistributionSkill
from averment.agents.analyst.model_loop.skill import SubmittedSkill
from averment.agents.analyst.outliers import OutliersSkill
from averment.agents.analyst.overview import OverviewSkill
from averment.agents.analyst.parts.deferring import Owners
from averment.agents.analyst.picks import PicksSkill
from averment.agents.analyst.pivot import PivotSkill
from averment.agents.analyst.plan_skill import PlanSkill
from averment.agents.analyst.query import QuerySkill
from averment.agents.analyst.rows import RowSkill
from averment.agents.analyst.series import SeriesSkill
from averment.agents.analyst.sets import SetSkill
from averment.agents.analyst.several import SeveralSkill
from averment.agents.analyst.share import ShareSkill
from averment.agents.analyst.skill import Skill
from averment.agents.analyst.sql_text import SqlTextSkill
from averment.agents.analyst.statistic import StatisticSkill
from averment.agents.analyst.tiles import TilesSkill
from averment.agents.analyst.written import WrittenSkill

GROUPED = frozenset({"correlations", "outliers", "picks", "cohorts", "tiles"})
"""The skills whose words mean one thing alone, so that even the skill of statistics stands back for them."""

KINDS = GROUPED | {"series", "contrast", "several", "share", "distribution", "pivot", "derived", "overview", "sets"}
"""The skills that each own one kind of question."""

OWNERS: Owners = {
    "aggregate": KINDS,
    "statistic": GROUPED | {"share", "aggregate"},
    "rows": KINDS | {"aggregate"},
    "query": KINDS | {"aggregate", "rows"},
}
"""Skills for all kinds of questions, and whom they stand back for where these have doubts."""


def standard_skills() -> tuple[Skill, ...]:
    """All skills there are."""
    return (
        CorrelationsSkill(),
        OutliersSkill(),
        PicksSkill(),
        CohortsSkill(),
        TilesSkill(),
        SeriesSkill(),
        ContrastSkill(),
        SeveralSkill(),
        ShareSkill(),
        DistributionSkill(),
        PivotSkill(),
        DerivedSkill(),
        OverviewSkill(),
        SetSkill(),
        PlanSkill(),
        AggregateSkill(),
        StatisticSkill(),
        RowSkill(),
        QuerySkill(),
        WrittenSkill(),
        SqlTextSkill(),
        SubmittedSkill(),
    )


def skill_named(name: str) -> Skill:
    """The skill of that name."""
    return next(skill for skill in standard_skills() if skill.name == name)
