"""``averment drill``: why a metric moved, and questions about the answer afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from averment.faces.cli.options import json_option, open_workbench, quiet_option
from averment.faces.cli.output import CommandOutput, echo, emit_json, exit_code_of, progress, stop_progress

if TYPE_CHECKING:
    from averment.agents.driller.sessions import Sessions
    from averment.records.drilldown.results import Explanation
    from averment.records.drilldown.session import Session
    from averment.runtime.outcome import Run
    from averment.settings import Settings

ROLES = ("dimension", "measure", "time", "timestamp", "id", "ignore")


@click.command()
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option("--metric", help="What moved, as SQL or in words: 'SUM(amount)', 'conversion rate'.")
@click.option(
    "--saved",
    type=click.Path(exists=True, dir_okay=False),
    metavar="TOML",
    help="Take --metric by name from this file of saved metrics, with its files and unit.",
)
@click.option(
    "--baseline", metavar="PERIOD", help="The period to compare with: 2024-01-01..2024-01-31, 2024-01, last month."
)
@click.option("--comparison", metavar="PERIOD", help="The period to explain.")
@click.option(
    "--flag",
    metavar="COLUMN",
    help="Compare two groups by this column; --baseline and --comparison are two of its values.",
)
@click.option("--period", metavar="PERIOD", help="With --flag: use only the rows of this period.")
@click.option("--context", "background", help="Background that a colleague would know.")
@click.option("--prompt", help="What to investigate first.")
@click.option(
    "--describe", "descriptions", multiple=True, metavar="FILE=TEXT", help="What a file contains; repeatable."
)
@click.option(
    "--role",
    "roles",
    multiple=True,
    metavar="COLUMN=ROLE",
    help="What a column is: dimension, measure, time, id or ignore; repeatable, for example store=dimension.",
)
@click.option(
    "--relation",
    "relations",
    multiple=True,
    metavar="TABLE.COLUMN=TABLE.KEY",
    help="How two files are related; repeatable, for example orders.customer=customers.id.",
)
@click.option(
    "--ask", "session_id", metavar="SESSION", help="Ask about an earlier investigation; FILE is the question."
)
@click.option(
    "--session",
    "within",
    metavar="SESSION",
    help="Investigate an earlier session's files again, or list what it found.",
)
@click.option("--compare", "pair", metavar="N,M", help="With --session: compare two of its investigations.")
@quiet_option
@json_option
@click.pass_context
def drill(
    context: click.Context,
    files: tuple[str, ...],
    metric: str | None,
    saved: str | None,
    baseline: str | None,
    comparison: str | None,
    flag: str | None,
    period: str | None,
    background: str | None,
    prompt: str | None,
    descriptions: tuple[str, ...],
    roles: tuple[str, ...],
    relations: tuple[str, ...],
    session_id: str | None,
    within: str | None,
    pair: str | None,
    quiet: bool,
    as_json: bool,
) -> int:
    """Find out why a metric moved between two periods, or differs between two groups, from 1 to 10 FILEs.

    CSV files of at most 50 MB are copied into the session; larger ones, Parquet folders and database URLs stay where
    they are. The session, with its files and its memory, is deleted when it expires.
    """
    column_roles = _roles(roles)
    workbench = open_workbench(context)
    if session_id is not None:
        return _ask(workbench.sessions, session_id, " ".join(files), as_json=as_json)
    if within is not None and (pair is not None or metric is None):
        from averment.faces.cli.drill_past import comparison as compared
        from averment.faces.cli.drill_past import investigations

        found = workbench.sessions.find(within)
        if pair is not None:
            return compared(workbench.sessions, found.session_id, pair).say(as_json=as_json)
        return investigations(workbench.sessions, found.session_id).say(as_json=as_json)
    known = _saved(saved, metric)
    files = files or tuple(known.pop("files", ()))
    said = _descriptions(files, descriptions)
    given = {
        "metric_sql": metric,
        **known,
        **_sides(flag, baseline, comparison, period),
        "business_context": background,
        "investigation_prompt": prompt,
    }
    _check(given)
    session = workbench.sessions.create() if within is None else workbench.sessions.find(within)
    listener = progress(quiet=quiet or as_json)
    try:
        for file in files:
            _add(workbench.sessions, session.session_id, file, said.get(file, ""))
        run_id = workbench.sessions.start(
            session.session_id, given, column_roles=column_roles, relations=relations, on_event=listener
        )
    except BaseException:
        # Nothing was investigated, so nothing is worth keeping; what was there before stays.
        if within is None:
            workbench.sessions.delete(session.session_id)
        raise
    run = workbench.runs.wait(run_id)
    stop_progress(listener)
    return _tell(workbench.sessions, session.session_id, run, workbench.settings, as_json=as_json)


def _sides(flag: str | None, baseline: str | None, comparison: str | None, period: str | None) -> dict[str, Any]:
    """The two periods or, with a flag, the two groups."""
    if flag is None:
        if period is not None:
            raise click.BadParameter(
                "it requires --flag; to compare two periods, use --baseline and --comparison.", param_hint="--period"
            )
        return {"baseline_period": baseline, "comparison_period": comparison}
    if not baseline or not comparison:
        raise click.BadParameter(
            "with --flag, give two of its values, for example --flag variant --baseline A --comparison B.",
            param_hint="--flag",
        )
    groups = {"column": flag, "baseline": baseline, "comparison": comparison}
    return {"groups": groups, "baseline_period": period, "comparison_period": period}


def _saved(place: str | None, name: str | None) -> dict[str, Any]:
    """A saved metric by its name: how it is computed, its unit, and its files."""
    if place is None:
        return {}
    from averment.agents.driller.watch import read_watch_file

    listed = read_watch_file(Path(place)).metric
    found = next((one for one in listed if one.name.casefold() == (name or "").casefold()), None)
    if found is None:
        names = ", ".join(one.name for one in listed)
        raise click.BadParameter(f"{name!r} is not a saved metric; choose among {names}.", param_hint="--metric")
    return {"metric_sql": found.sql, "metric_name": found.name, "metric_unit": found.unit or None, "files": found.files}


def _check(given: dict[str, Any]) -> None:
    """Refuse what cannot be investigated before any file is read."""
    from averment.records.base import new_id
    from averment.records.drilldown.investigation import InvestigationContext

    InvestigationContext.checked({**given, "session_id": new_id()})


def _ask(sessions: Sessions, session_id: str, question: str, *, as_json: bool) -> int:
    session = sessions.find(session_id)
    answer = sessions.chat(session.session_id, question)
    document = {"response": answer.content, "artifacts_referenced": list(answer.artifacts_referenced)}
    lines = (answer.content, *(f"  from {artifact}" for artifact in answer.artifacts_referenced))
    return CommandOutput(document, "\n".join(lines)).say(as_json=as_json)


def _add(sessions: Sessions, session_id: str, file: str, description: str) -> None:
    from averment.records.drilldown.files import MAX_FILE_BYTES

    path = Path(file).expanduser()
    if path.suffix.lower() == ".csv" and path.is_file() and path.stat().st_size <= MAX_FILE_BYTES:
        with path.open("rb") as stream:
            sessions.add_file(session_id, stream, path.name, description=description)
        return
    sessions.connect(session_id, file if "://" in file else str(path.absolute()))


def _tell(sessions: Sessions, session_id: str, run: Run, settings: Settings, *, as_json: bool) -> int:
    from averment.store.storage.configured import open_files

    session = sessions.get(session_id)
    found: tuple[Explanation, ...] = ()
    if session.status == "completed":
        found = sessions.explanations(session_id)
    if as_json:
        emit_json(_document(session, run, found))
    else:
        echo(run.answer or f"({run.status})")
        _say_explanations(found)
        click.echo()
        if session.report_ready:
            echo(f"report   {open_files(settings).shown(f'sessions/{session_id}/report.md')}")
        echo(f"session  {session_id}, until {session.expires_at:%Y-%m-%d %H:%M} UTC")
        if run.proof().run_root:
            echo(f"proof    averment verify {run.id}")
        if session.status == "completed":
            echo(f'ask      averment drill --ask {session_id[:8]} "What was ruled out?"')
    return exit_code_of(run.status)


def _say_explanations(found: tuple[Explanation, ...]) -> None:
    for one in found:
        click.echo()
        echo(f"{one.rank}. {one.title} ({one.likelihood})")
        echo(f"   {one.reasoning}")


def _document(session: Session, run: Run, found: tuple[Explanation, ...]) -> dict[str, Any]:
    return {
        "session": session.model_dump(mode="json"),
        "explanations": [one.model_dump(mode="json") for one in found],
        "run": run.as_dict(),
    }


def _roles(given: tuple[str, ...]) -> dict[str, str]:
    """The role of each column that was given one."""
    found: dict[str, str] = {}
    for one in given:
        name, mark, role = one.rpartition("=")
        if not mark or not name.strip() or role.strip() not in ROLES:
            wanted = ", ".join(ROLES)
            raise click.BadParameter(f"{one!r} is not COLUMN=ROLE with one of {wanted}.", param_hint="--role")
        found[name.strip()] = role.strip()
    return found


def _descriptions(files: tuple[str, ...], given: tuple[str, ...]) -> dict[str, str]:
    """What was said of each file, by the file as it was named, or by its name alone."""
    found: dict[str, str] = {}
    for one in given:
        name, mark, text = one.partition("=")
        matching = [file for file in files if file == name or Path(file).name == name]
        if not mark or not matching:
            raise click.BadParameter(f"{one!r} is not FILE=TEXT for one of the files.", param_hint="--describe")
        found.update(dict.fromkeys(matching, text))
    return found
