"""``averment explain``: the way of one question, station by station."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import click

from averment.faces.cli.options import answers, open_workbench, run_argument
from averment.faces.cli.output import CommandOutput, echo, say_table
from averment.records.marks import Marks


@click.command()
@run_argument
@answers
def explain(context: click.Context, run_id: str) -> CommandOutput:
    """Show how RUN was answered: its words, readings, gates, plan, queries and claims."""
    way = open_workbench(context).runs.explain(run_id)
    return CommandOutput(way, lambda: _tell(way))


def _tell(way: dict[str, Any]) -> None:
    echo(f"{way['run']}  {way['kind']}  {way['status']}")
    echo(f"Asked: {way['question']}")
    for tell in (_words, _readings, _unused, _gates, _plan, _calls, _claims):
        tell(way)


def _headed(listed: Collection[Any], heading: str) -> Collection[Any]:
    """What is listed, after its heading where there is anything."""
    if listed:
        echo(f"\n{heading}")
    return listed


def _words(way: dict[str, Any]) -> None:
    rivals = way["rivals"]
    heading = f"Words: what each was taken for{', or could have been' if rivals else ''}, and how strongly"
    told = [*((w, "") for w in way["words"]), *((w, "or ") for w in rivals)]
    told.sort(key=lambda each: (each[0].get("at", 0), each[1]))
    if _headed(told, heading):
        rows = [(w["words"], f"{other}{w['as']}", _means(w), f"{w['strength']:.2f}") for w, other in told]
        say_table(("words", "as", "means", "strength"), rows)
    if way["silent"]:
        echo(f"Without a meaning of their own: {', '.join(way['silent'])}")


def _means(word: dict[str, Any]) -> str:
    return f"{word['means']} (guessed)" if "guessed" in word or "chance" in word else word["means"]


def _readings(way: dict[str, Any]) -> None:
    marked = "; * is the foremost" if any("foremost" in each for each in way["readings"]) else ""
    heading = f"Readings: {len(way['readings'])} results of {way['candidates']} candidates, with their odds{marked}"
    for reading in _headed(way["readings"], heading):
        left = f"  (leaves out {', '.join(reading['left'])})" if reading["left"] else ""
        echo(f"{'*' if 'foremost' in reading else ' '} {reading['odds']:.2f}  {reading['read_back']}{left}")
        for same in reading.get("same", ()):
            echo(f"          same result: {same}")
        if "failed" in reading and "foremost" not in reading:
            _rival(reading)
    if way["words"] and not way["readings"]:
        none = (
            f"none of {way['candidates']} candidates gave a result" if way["candidates"] else "no plan fits these words"
        )
        echo(f"\nReadings: {none}")


def _rival(reading: dict[str, Any]) -> None:
    """The gates of a reading that is not the foremost, those that stopped it first."""
    if reading["failed"]:
        echo(f"          failed: {'; '.join(f'{gate} ({why})' for gate, why in reading['failed'].items())}")
    if reading["passed"]:
        behind = "" if reading["failed"] else ", but its words fit less well"
        echo(f"          passed: {'; '.join(reading['passed'])}{behind}")


def _unused(way: dict[str, Any]) -> None:
    for refused in _headed(way["refused"], "Refused: candidates that cannot be run, or whose result makes no sense"):
        echo(f"  {refused}")
    if way["not_run"]:
        number, first = way["not_run"]["number"], way["not_run"]["first"]
        echo(f"\nNot run: {number} more candidates, as {way['not_run']['why']}")
        for read_back in first:
            echo(f"  {read_back}")
        if number > len(first):
            echo(f"  and {number - len(first)} more")


def _gates(way: dict[str, Any]) -> None:
    foremost = next((each for each in way["readings"] if "foremost" in each), {})
    failed = foremost.get("failed", {})
    for gate, passed in _headed((way["gates"] or {}).items(), f"Gates{' of the foremost reading' if foremost else ''}"):
        echo(f"  {'passed' if passed else 'failed'}: {gate}{f' ({failed[gate]})' if gate in failed else ''}")
    ensemble = way.get("ensemble")
    if not ensemble:
        return
    counts = (
        f"{ensemble['answers']} answers, {ensemble['declined']} “cannot be answered”, {ensemble['failed']} unusable"
    )
    echo(f"\nLearned reader: {counts}. Results of both readers:")
    for each in ensemble["results"]:
        by = ["the grammar"] if each["grammar"] else []
        by += [_said(query) for query in each["queries"]]
        echo(f"  {each['odds']:.2f}  {each['read_back']} ({'; '.join(by)})")
        for query in each["queries"][:1]:
            echo(f"        {query['sql']}")


def _said(query: dict[str, Any]) -> str:
    """How the learned reader came by a query."""
    first = "its likeliest query" if query["first"] else "a query"
    return f"{first}, {query['votes']} samples, likelihood {query['likelihood']:.2f}"


def _plan(way: dict[str, Any]) -> None:
    from averment.plans.plan import stored_plan
    from averment.plans.text import to_text

    if way["read_as"]:
        echo("\n" + "\n".join(Marks.model_validate(way["marks"]).lines))
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
