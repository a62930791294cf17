"""Follow-ups: what is known of a question before it is read, from the run that it follows."""

from __future__ import annotations

from typing import Any

from averment.plans.chart_kinds import checked_kind
from averment.runtime.agent import added_agent
from averment.runtime.execution.restore import catalog_of
from averment.runtime.outcome import Run
from averment.runtime.run_json import KnownBefore
from averment.workbench.open_home import OpenHome

UNSURE = 0.5
"""How sure a follow-up is at most where there is no earlier plan that it could change."""

MOST_LEANT = 3
"""So many readings of an open question a follow-up is read after."""


class FollowUps:
    """What questions lean on, in one home."""

    def __init__(self, home: OpenHome) -> None:
        self._home = home

    def meaning(
        self, *, after: Run | str | None = None, chart: str | None = None, agent: str | None = None
    ) -> KnownBefore | None:
        """What is known of a question before it is read: the run it follows, the chart wanted, and who answers it.

        Raises:
            InvalidRequest: there is no such kind of chart.
            PluginFailed: no plugin adds such an agent.
        """
        known: KnownBefore = {**(self.after(after) or {}), **self._dataset_of(after)}
        if (drawn := checked_kind(chart)) is not None:
            known["chart"] = drawn
        if agent is not None:
            known["agent"] = added_agent(agent).name
        return known or None

    def _dataset_of(self, run: Run | str | None) -> KnownBefore:
        """The dataset that a run asked, which whatever follows it asks as well."""
        if run is None:
            return {}
        row = self._home.services.store.runs.get(run.id if isinstance(run, Run) else run)
        said = (row.request.get("meaning") or {}).get("dataset")
        return {} if said is None else {"dataset": said}

    def after(self, after: Run | str | None) -> KnownBefore | None:
        """What a follow-up leans on: the earlier run and its plan."""
        if after is None:
            return None
        run = after if isinstance(after, Run) else self._home.runner.show(after)
        if "taught" in ((run.reading or {}).get("reading") or {}):
            # A word was taught in between: what is changed is what was asked before.
            before: KnownBefore = self._home.services.store.runs.get(run.id).request.get("meaning") or {}
            leant: KnownBefore = {"after": run.id}
            if "after_plan" in before:
                leant["after_plan"] = before["after_plan"]
            if "after_odds" in before:
                leant["after_odds"] = before["after_odds"]
            return leant
        # A reading that is a query alone has no plan that a follow-up could change.
        open_plans = [offer for offer in run.offers if "table" in offer.plan]
        chosen = self._chosen_for(run) if open_plans else None
        if chosen is not None:
            return {"after": run.id, "after_plan": chosen, "after_odds": 1.0}
        best = open_plans[0] if open_plans else None
        offered = best.plan if best is not None else None
        plan = run.plan if run.plan is not None and "version" in run.plan and "table" in run.plan else offered
        if plan is None:
            # Without a plan to change, the words are read by themselves; nobody is sure that they are meant so.
            return {"after": run.id, "after_odds": UNSURE}
        # Nobody has chosen yet what an open question means, so what follows is no surer than its best offer.
        sure = best.odds if best is not None and plan is not run.plan else 1.0
        leant = {"after": run.id, "after_plan": plan, "after_odds": sure}
        if plan is offered and len(open_plans) > 1:
            leant["after_open"] = [[offer.plan, offer.odds] for offer in open_plans[:MOST_LEANT]]
        return leant

    def _chosen_for(self, run: Run) -> dict[str, Any] | None:
        """The plan that was chosen for an open question, if one was."""
        plan = self._home.services.store.recipes.choices.find(
            catalog_of(self._home.services.store.runs.get(run.id)).fingerprint, run.intent
        )
        return plan if plan is not None and "table" in plan and "version" in plan else None
