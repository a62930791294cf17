"""The investigations of a session in the command line: their list, and two of them side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from averment.faces.cli.output import echo, emit_json

if TYPE_CHECKING:
    from averment.agents.driller.sessions import Sessions
    from averment.records.drilldown import ComparedCause, InvestigationContext


def say_investigations(sessions: Sessions, session_id: str, *, as_json: bool) -> int:
    """List what was investigated in a session."""
    found = sessions.investigations(session_id)
    if as_json:
        emit_json({"investigations": [one.model_dump(mode="json") for one in found]})
        return 0
    if not found:
        echo("Nothing has been investigated in this session yet.")
    for one in found:
        echo(f"{one.number}. {_asked(one.context)} ({one.status})")
        echo(f"   {one.message}")
    return 0


def say_comparison(sessions: Sessions, session_id: str, pair: str, *, as_json: bool) -> int:
    """Hold two investigations of a session side by side."""
    numbers = [part.strip() for part in pair.split(",")]
    if len(numbers) != 2 or not all(part.isdigit() for part in numbers):
        raise click.BadParameter(f"{pair!r} is not two numbers such as 1,2.", param_hint="--compare")
    found = sessions.compare(session_id, int(numbers[0]), int(numbers[1]))
    if as_json:
        emit_json(found.model_dump(mode="json"))
        return 0
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
    return 0


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
