"""The prompts of the server: what a person can begin with, and how a client does it well; with what completes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp_types import Completion

from averment.tools.public import ReportLibrary

MOST = 100
KINDS = ("quick", "standard", "comprehensive")


def add_prompts(server: MCPServer[Any], library: ReportLibrary | None) -> None:
    """Offer the prompts, and complete their arguments from what is there."""

    def analyse_file(source: str, question: str = "What does this table show?") -> str:
        return (
            f"Answer this question about {source}: {question}\n"
            "Call open_sources and schema to see what is there, then analyze with the question in plain words. If it "
            "asks back, show its offers to the user and call choose with the number they name. Say the answer as it "
            "is, with its rows (get_rows) and both marks: how it was interpreted and how certain that is, and whether "
            "its figures were recomputed. The second does not vouch for the first. Do not compute numbers yourself. "
            "End with the run's id and the link of its report."
        )

    def why_did_it_move(metric: str, source: str, before: str = "", after: str = "") -> str:
        span = f" from {before} to {after}" if before and after else ""
        return (
            f"Find out why {metric} moved{span} in {source}.\n"
            "Call analyze for the metric by month first, if no periods are given, and take the two that are "
            "meant. Then call drill with the metric and both periods. Tell the causes that it proves, and what stays "
            "unexplained, in its own words. ask_run answers questions about it."
        )

    def verify_report(run_id: str) -> str:
        return (
            f"Check the run {run_id}: call verify, and say whether everything it says still holds. Name every fault "
            "with what it is about. Then read its report and say in one paragraph what it proves and what it does not."
        )

    def ask_documents(question: str, depth: str = "quick") -> str:
        return (
            f"Find out what the documents say: {question}\n"
            f"Call research with depth {depth}. Quote the sentences it cites with their documents, name where sources "
            "disagree, and say so where nothing was found. Do not add what you know from elsewhere."
        )

    def plan_my_day(day: str = "today") -> str:
        return (
            f"Help me plan {day}. Call list_tasks for what is open, due and urgent; propose an order, and change "
            "nothing until I have agreed. Then use update_task, and complete_task for what I say is done."
        )

    made: tuple[tuple[str, str, str, Callable[..., str]], ...] = (
        ("analyse_file", "Analyse a file", "Ask a table a question and show the proof.", analyse_file),
        ("why_did_it_move", "Why did it move?", "Explain a metric between two periods.", why_did_it_move),
        ("verify_report", "Verify a report", "Check everything a run says.", verify_report),
        ("ask_documents", "Ask the documents", "What the archived documents say, with citations.", ask_documents),
        ("plan_my_day", "Plan my day", "Order the open tasks.", plan_my_day),
    )
    for name, title, about, function in made:
        server.prompt(name=name, title=title, description=about)(function)

    async def complete(reference: Any, argument: Any, context: Any) -> Completion:
        import anyio.to_thread

        _ = (reference, context)
        known = await anyio.to_thread.run_sync(lambda: _known(argument.name, library))
        fitting = [value for value in known if value.casefold().startswith(str(argument.value).casefold())]
        return Completion(values=fitting[:MOST], total=len(fitting), has_more=len(fitting) > MOST)

    server.completion()(complete)


def _known(argument: str, library: ReportLibrary | None) -> Sequence[str]:
    """What an argument of a prompt or of an address can be."""
    if argument == "depth":
        return KINDS
    if argument == "day":
        return ("today", "tomorrow", "this week")
    if argument == "run_id" and library is not None:
        return [run.run_id for run in library.newest()]
    return ()
