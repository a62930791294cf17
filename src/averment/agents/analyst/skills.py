"""Which skills the analyst has, in the order in which equals are preferred."""

from __future__ import annotations

from averment.agents.analyst.aggregate import AggregateSkill
from averment.agents.analyst.contrast import ContrastSkill
from averment.agents.analyst.derived import DerivedSkill
from averment.agents.analyst.distribution import DistributionSkill
from averment.agents.analyst.overview import OverviewSkill
from averment.agents.analyst.parts.deferring import Deferring
from averment.agents.analyst.pivot import PivotSkill
from averment.agents.analyst.query import QuerySkill
from averment.agents.analyst.rows import RowSkill
from averment.agents.analyst.series import SeriesSkill
from averment.agents.analyst.share import ShareSkill
from averment.agents.analyst.skill import Skill
from averment.agents.analyst.statistic import StatisticSkill
from averment.agents.analyst.written import WrittenSkill


def standard_skills() -> tuple[Skill, ...]:
    """All skills there are; those for all kinds of questions stand back where one for its kind has doubts."""
    shares, rows = ShareSkill(), RowSkill()
    kinds: tuple[Skill, ...] = (
        SeriesSkill(),
        ContrastSkill(),
        shares,
        DistributionSkill(),
        PivotSkill(),
        DerivedSkill(),
        OverviewSkill(),
    )
    return (
        *kinds,
        Deferring(AggregateSkill(), kinds),
        Deferring(StatisticSkill(), (shares,)),
        Deferring(rows, kinds),
        Deferring(QuerySkill(), (*kinds, rows)),
        WrittenSkill(),
    )


def skill_named(name: str) -> Skill:
    """The skill of that name."""
    return next(skill for skill in standard_skills() if skill.name == name)
