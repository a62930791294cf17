"""What an investigation's documents may say beside their claims: a closed list of frame sentences, and what fills them.

Titles, meanings and steps are made again from the recorded attribution, so that no other hand can put words there.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, get_args

from averment.agents.driller.conclude import explanations_of
from averment.agents.driller.hypotheses import causes_of
from averment.agents.driller.iteration_log import NOTHING
from averment.agents.driller.next_steps import next_steps
from averment.agents.driller.reading import ATTRIBUTION, reading_of
from averment.agents.driller.recall import recall
from averment.agents.driller.story_words import meaning_of, title_of
from averment.agents.driller.wording import beginnings, clipped, whole_sentences
from averment.claims.frames import AllowedSentences, Frame
from averment.records.base import iso_z
from averment.records.drilldown.request import DrillRequest
from averment.records.drilldown.results import Likelihood

if TYPE_CHECKING:
    from averment.runtime.decisions import Conclusion
    from averment.runtime.run_context import RunContext

FRAMES = tuple(
    map(
        Frame,
        (
            "{question}",
            "Distinct things are counted once a period, in the segment where they first appear. Their number does not "
            "grow in step with the length of a period.",
            "A percentile moves because rows cross it. A segment's figure is its share of rows above a threshold "
            "between both values, on the scale on which the whole is the percentile itself; it is not the segment's "
            "own percentile.",
            "Smaller movers by {dimension} are in the breakdown table.",
            "No column cuts the metric into segments, so there is nothing to break down.",
            "{column} refers to {column} and is joined.",
            "{column} refers to {column}, not joined.",
            "{table} is not joined: it would repeat rows of {table}.",
            "Rows whose {total_column} is {total*} add up the other rows of {table} and are left out.",
            "Each row of {table} is dated by {column}.",
            "Each row of {table} belongs to a group by {column}.",
            "{name} is not used as a dimension: {reason}.",
            "The metric was aggregated to leaves and days, every segment was searched, and each hypothesis was tested "
            "by a script in the jail.",
            "No country is set, so public holidays are not taken into account.",
            "No cause is proven (no findings); the breakdown shows the largest movers.",
            "{rank}. {title} ({likelihood})",
            "{hypothesis}.",
            "{meaning}",
            "{step}",
            "A paradox: every group of {dimension} moved against the total, or not at all; the total moved because "
            "the groups' weights did.",
            "Ruled out:",
            "What moved {metric}, part by part",
            "Named segments on both sides",
            "{metric} by day, with both periods marked",
            "{metric} by day, with both periods and the usual range marked",
            "Generated {moment} by Averment.",
        ),
    )
)
"""Every frame sentence of a report."""

HEADINGS = (
    *("Breakdown", "Data Model", "Analysis Performed", "Explanations", "Recommended Next Steps", "Proof"),
    NOTHING,
)


def told_by(work: RunContext, request: DrillRequest, conclusion: Conclusion) -> AllowedSentences:
    """Everything that a document about this investigation may say."""
    texts = [finding.text for finding in conclusion.findings]
    if ATTRIBUTION not in work.state.answered:
        texts.append(conclusion.answer)  # The recorded error of the step that failed.
    return AllowedSentences(
        (*(each for text in texts for each in beginnings(text)), *HEADINGS), FRAMES, _allowed(work, request, conclusion)
    )


def _allowed(work: RunContext, request: DrillRequest, conclusion: Conclusion) -> dict[str, Collection[str]]:
    """What each hole may hold, read off the plan and the recorded results, never off the text that is checked."""
    reading = reading_of(work)
    causes = causes_of(work) if ATTRIBUTION in work.state.answered else ()
    memory = recall(work)
    titles = [clipped(title_of(cause, reading), 100) for cause in causes]
    return {
        "question": [request.intent.strip()],
        "metric": [reading.metric.text],
        "dimension": reading.names,
        # The rows of a quotient over two tables have a name of their own.
        "table": [*(table.name for table in reading.tables), reading.base],
        "column": [
            *(f"{table.name}.{column.name}" for table in reading.tables for column in table.columns),
            f"{reading.day_table}.{reading.day_column}",
        ],
        "total_column": [one.column for one in reading.totals],
        "total": [value for one in reading.totals for value in one.values],
        "name": [one.name for one in reading.left_out],
        "reason": [one.reason for one in reading.left_out],
        "rank": [str(rank) for rank in range(1, len(causes) + 1)],
        "title": titles,
        "likelihood": get_args(Likelihood),
        "hypothesis": [one.title for one in memory.suspicions],
        "meaning": [whole_sentences(meaning_of(cause, reading), 500) for cause in causes],
        "step": [*next_steps(work, memory, ()), *next_steps(work, memory, explanations_of(work, conclusion))],
        "moment": [iso_z(request.context.submitted_at)],
    }
