"""``averment explain``: the way of one question, station by station."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import click

from averment.faces.cli.options import answers, open_workbench, run_argument
from averment.faces.cli.output import Answer, echo, say_table


@click.command()
@run_argument
@answers
def explain(context: click.Context, run_id: str) -> Answer:
    """Show how RUN was answered: its words, readings, gates, plan, queries and claims."""
    way = open_workbench(context).runs.explain(run_id)
    return Answer(way, lambda: _tell(way))


def _tell(way: dict[str, Any]) -> None:
    echo(f"{way['run']}  {way['kind']}  {way['status']}")
    echo(f"Asked: {way['question']}")
    for tell in (_words, _readings, _gates, _plan, _calls, _claims):
        tell(way)


def _headed(listed: Collection[Any], heading: str) -> Collection[Any]:
    """What is listed, after its heading where there is anything."""
    if listed:
        echo(f"\n{heading}")
    return listed


def _words(way: dict[str, Any]) -> None:
    if _headed(way["words"], "Words: what each was taken for, and how strongly"):
        rows = [(w["words"], w["as"], w["means"], f"{w['strength']:.2f}") for w in way["words"]]
        say_table(("words", "as", "means", "strength"), rows)


def _readings(way: dict[str, Any]) -> None:
    heading = f"Readings: {len(way['readings'])} results of {way['candidates']} candidates, with their odds"
    for reading in _headed(way["readings"], heading):
        left = f"  (leaves out {', '.join(reading['left'])})" if reading["left"] else ""
        echo(f"  {reading['odds']:.2f}  {reading['read_back']}{left}")
    for refused in way["refused"]:
        echo(f"  refused: {refused}")


def _gates(way: dict[str, Any]) -> None:
    for gate, passed in _headed((way["gates"] or {}).items(), "Gates"):
        echo(f"  {'passed' if passed else 'failed'}: {gate}")


def _plan(way: dict[str, Any]) -> None:
    from averment.plans.plan import stored_plan
    from averment.plans.text import to_text

    if way["read_as"]:
        echo(f"\nRead as: {way['read_as']} ({way['grade']})")
    if way["plan"]:
        echo(f"Plan: {to_text(stored_plan(way['plan']))}")


def _calls(way: dict[str, Any]) -> None:
    for call in _headed(way["calls"], "Carried out"):
        rows = f", {call['rows']} rows" if call["rows"] is not None else ""
        echo(f"  {call['task']}: {call['tool']}, attempt {call['attempt']}, {call['status']}{rows}")
        for line in str(call["carried_out"]).splitlines():
            echo(f"    {line}")
        if call["error"]:
            echo(f"    {call['error']}")


def _claims(way: dict[str, Any]) -> None:
    for claim in _headed(way["claims"], "Claims"):
        echo(f"  {claim['relation']}: {claim['text']}")
    if way["answer"]:
        echo(f"\nAnswer: {way['answer']}")
