"""The investigations of a session in the command line: their list, and two of them side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from averment.faces.cli.output import CommandOutput, echo

if TYPE_CHECKING:
    from averment.agents.driller.sessions import Sessions
    from averment.records.drilldown.investigation import InvestigationContext
    from averment.records.drilldown.past import ComparedCause, Comparison


def investigations(sessions: Sessions, session_id: str) -> CommandOutput:
    """What was investigated in a session."""
    found = sessions.investigations(session_id)
    lines = [f"{one.number}. {_asked(one.context)} ({one.status})\n   {one.message}" for one in found]
    words = "\n".join(lines) or "Nothing has been investigated in this session yet."
    return CommandOutput({"investigations": [one.model_dump(mode="json") for one in found]}, words)


def comparison(sessions: Sessions, session_id: str, pair: str) -> CommandOutput:
    """Hold two investigations of a session side by side."""
    numbers = [part.strip() for part in pair.split(",")]
    if len(numbers) != 2 or not all(part.isdigit() for part in numbers):
        raise click.BadParameter(f"{pair!r} is not two numbers such as 1,2.", param_hint="--compare")
    found = sessions.compare(session_id, int(numbers[0]), int(numbers[1]))
    return CommandOutput(found.model_dump(mode="json"), lambda: _tell(found))


def _tell(found: Comparison) -> None:
    echo(f"{found.first}. {_asked(found.first_context)}")
    echo(f"{found.second}. {_asked(found.second_context)}")
    for title, causes in (
        ("Both found", found.both),
        (f"Only {found.first} found", found.only_first),
        (f"Only {found.second} found", found.only_second),
    ):
        _say_causes(title, causes)
    if found.movers:
        click.echo()
        echo("Values whose contributions differ most")
        for mover in found.movers:
            echo(
                f"  {mover.dimension} = {mover.value}: {_number(mover.first_change)} and {_number(mover.second_change)}"
            )


def _say_causes(title: str, causes: Sequence[ComparedCause]) -> None:
    click.echo()
    echo(f"{title}{'' if causes else ': nothing'}")
    for cause in causes:
        told = [one for one in (cause.first_effect, cause.second_effect) if one is not None]
        parts = f": {' and '.join(map(_number, told))}" if told else ""
        echo(f"  {cause.title}{parts}")


def _asked(context: InvestigationContext) -> str:
    before, after = context.side_words("baseline"), context.side_words("comparison")
    return f"{' '.join(context.metric_sql.split())}, {before} against {after}"


def _number(value: float) -> str:
    return f"{value:,.6g}"
