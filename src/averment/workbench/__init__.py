"""The workbench: the one facade behind the command line, HTTP, the page and Python code.

from averment import Workbench

with Workbench(home=".averment") as wb:
    run = wb.analyze("total amount by region in 2024", sources=["sales.csv"])
    print(run.answer, wb.verify(run.id).ok)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from averment.errors import AvermentError, PluginFailed
from averment.records.marks import marks_of
from averment.runtime.events import Listener
from averment.runtime.outcome import Run
from averment.runtime.verification.verdict import Verification
from averment.settings import Settings
from averment.workbench.given import Sources, places_of
from averment.workbench.home_ledger import HomeLedger
from averment.workbench.home_parts import HomeParts
from averment.workbench.language_models import LanguageModels
from averment.workbench.moved_names import moved_name
from averment.workbench.open_home import OpenHome
from averment.workbench.runs import Runs
from averment.workbench.starts import ALL_DELIVERABLES, RunStarter
from averment.workbench.waiting import waited

if TYPE_CHECKING:
    from averment.agents.assistant.agent import Assistant
    from averment.agents.driller.sessions import Sessions
    from averment.corpus.corpus import Corpus
    from averment.records.analysis import Policy, PolicyFields
    from averment.records.chat import AgentResponse
    from averment.runtime.execution.durable import Role
    from averment.workbench.datasets import Datasets

__all__ = ["ALL_DELIVERABLES", "Workbench"]


class Workbench:
    """One home: its verbs ask, teach, show and verify; its parts hold what the home has.

    The parts are ``runs``, ``sessions``, ``datasets``, ``corpora``, ``ledger``, ``models``, ``assistant`` and ``home``.
    """

    def __init__(
        self, home: str | Path | None = None, *, settings: Settings | None = None, role: Role | None = None
    ) -> None:
        self._home = OpenHome(home, settings=settings, role=role)
        self.settings = self._home.settings
        self.runs = Runs(self._home)
        """The runs: ``list``, ``wait``, ``events``, ``resume``, ``cancel``, ``choose``, ``replay``, ``export`` …"""
        self.ledger = HomeLedger(self._home)
        """The permanent record: ``entries``, ``inclusion_proof``, ``public_key``, ``export``, ``verify`` …"""
        self.models = LanguageModels(self._home)
        """The language models: ``inspect``, ``sent``, ``fetch_weights``."""
        self.home = HomeParts(self._home, self)
        """What else the home has: users, tasks, reminders, recipes, the glossary, workers, uploads, the MCP server."""

    if not TYPE_CHECKING:  # A type checker is to say of an old name that it is gone.
        __getattr__ = moved_name

    @property
    def datasets(self) -> Datasets:
        """The owner's datasets: ``add``, ``list``, ``get``, ``describe_column``, ``teach``, ``remove``, ``look``."""
        return self._home.datasets

    @cached_property
    def corpora(self) -> Corpus:
        """The archived documents of this home; for looking, so that no model is loaded."""
        from averment.corpus.corpus import Corpus

        return Corpus(self._home.services.store.database)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop what is running here and close every part; unfinished runs can be resumed."""
        self._home.close()

    analyze = waited(RunStarter.analysis, "Answer a question about tables")
    run_plan = waited(RunStarter.plan, "Carry out a plan over sources")
    sql = waited(RunStarter.sql, "Run one SELECT over sources")
    choose = waited(RunStarter.choice, "Carry out one of the readings a run offered, and remember the choice")
    research = waited(RunStarter.research, "Find out what the sources say and where they disagree")

    def drill(
        self,
        files: Sources,
        *,
        metric_sql: str,
        baseline: tuple[Any, Any] | Mapping[str, Any] | str | None = None,
        comparison: tuple[Any, Any] | Mapping[str, Any] | str | None = None,
        groups: Mapping[str, str] | None = None,
        metric_name: str | None = None,
        metric_unit: str | None = None,
        business_context: str | None = None,
        investigation_prompt: str | None = None,
        column_roles: Mapping[str, str] | None = None,
        relations: Sequence[str] = (),
        policy: Policy | PolicyFields | None = None,
        run_id: str | None = None,
        datasets: Datasets | None = None,
        on_event: Listener | None = None,
    ) -> Run:
        """Find out why a metric moved between two periods, and wait for it.

        ``groups`` compares two groups of rows by a flag instead: ``{"column": "variant", "baseline": "A",
        "comparison": "B"}``; the periods may then be left out, and are else the same.
        ``column_roles`` says what columns are that were read otherwise: ``{"orders.store": "dimension"}``;
        ``relations`` how tables belong together: ``["orders.customer=customers.id"]``. ``policy`` says which columns
        may be read, and which values may not be shown.

        Raises:
            UsageError, SourceError: the request or a file cannot be used; nothing was kept.
            AvermentError: the run itself failed; it is kept, with its error.
        """
        from averment.records.drilldown.request import DrillRequest

        files, _ = (self._home.datasets if datasets is None else datasets).resolve(files)
        request = DrillRequest.checked(
            data_sources=places_of(files, self._home.settings.home),
            metric_sql=metric_sql,
            baseline_period=baseline,
            comparison_period=comparison,
            groups=None if groups is None else dict(groups),
            metric_name=metric_name,
            metric_unit=metric_unit,
            business_context=business_context,
            investigation_prompt=investigation_prompt,
            column_roles=column_roles,
            relations=relations,
            policy=dict(policy) if policy is not None else None,
            request_id=run_id,
        )
        return self.runs.wait(self.runs.start.drill(request, on_event=on_event))

    def chat(
        self,
        message: str,
        *,
        conversation_id: str | None = None,
        message_id: str | None = None,
        files: Sources = (),
    ) -> AgentResponse:
        """Say something to the assistant; ``files`` are what it may look into from then on.

        Raises:
            InvalidRequest: the message is empty or too long.
            ConversationNotFound, MessageReused: the ids do not fit.
        """
        if not (isinstance(files, Sequence) and not files):
            with self._home.published(files) as attached:
                begun = conversation_id or (
                    None if message_id is None else self.assistant.conversation_id_for(message_id)
                )
                conversation_id = self.assistant.attach(attached, conversation_id=begun)
        return self.assistant.turn(message, conversation_id=conversation_id, message_id=message_id)

    def add_sources(self, *sources: str, corpus: str = "default") -> int:
        """Read files, folders or pages into the corpus of a name, with their vectors; how many documents are new.

        Raises:
            AvermentError: none of them could be read; the first one's error.
        """
        added = list(self._home.services.texts.corpus.add_sources(sources, into=corpus))
        errors = [one.error for one in added if one.error is not None]
        if errors and len(errors) == len(added):
            raise errors[0]
        self._home.services.texts.corpus.finish_vectors()
        return sum(one.outcome in ("added", "updated") for one in added)

    def show(self, run_id: str) -> Run:
        """A run as it stands now."""
        return self._home.runner.show(run_id)

    def verify(self, run_id: str, *, keys: Sequence[str] = (), sources: Sequence[str | Path] = ()) -> Verification:
        """Check a run against the ledgers that hold it and recompute everything it says from its sources.

        With ``keys``, only what one of these public keys signed counts; else each ledger's own, as it was first seen.
        ``sources`` are files to read in place of those that are no longer where the run found them.
        """
        from averment.runtime.kept_checks import keep_check
        from averment.runtime.verification.verify_run import verify_run

        row = self._home.services.store.runs.get(run_id)
        try:
            agent = self._home.agents.agent_for_report(row)
        except PluginFailed:
            agent = (
                self._home.agents.analyst()
            )  # It is not asked: the check names the missing plugin and computes nothing.
        verdict = verify_run(self._home.services, agent, row.run_id, keys=keys, sources=sources)
        check = keep_check(self._home.services.store.runs, verdict)
        try:
            marks = Run(self._home.services, row).marks
        except (AvermentError, ValueError, TypeError, KeyError, AttributeError):
            marks = marks_of({}, (), (), check)  # What was kept cannot be read; the verdict names it.
        return verdict.changed(marks=marks)

    @cached_property
    def assistant(self) -> Assistant:
        """The assistant of this home: ``turn``, ``answer``, ``attach``, ``recover``."""
        from averment.agents.assistant.assembly import open_assistant

        self._home.services.store.conversations.delete_expired()
        return open_assistant(self._home.services, self)

    @cached_property
    def sessions(self) -> Sessions:
        """The driller's sessions: ``create``, ``add_file``, ``start``, ``report``, ``chat`` and what lies between."""
        from averment.agents.driller.chat import ask_with
        from averment.agents.driller.sessions import Sessions

        start = self.runs.start
        return Sessions(
            self._home.services,
            begin=lambda request, listener: start.drill(request, on_event=listener),
            check=start.check_drill,
            ask=ask_with(self.analyze),
            cancel=self.runs.cancel,
            forget=self._home.runner.forget,
        )
