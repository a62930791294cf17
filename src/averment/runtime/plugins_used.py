"""Which plugins a run used: found in what the run kept, named in the ledger before it is sealed, held at verification.

Everything is read from stored bodies, never through records: a run whose plugin is gone must still say what it needs.
An export comes after the seal, behind which nothing may be added to the run; a plugin that writes one is therefore
named in an entry beside the run's, under a request id that is derived from the run's.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from averment import plugins
from averment.plugins import Plugin
from averment.records.base import derived_id
from averment.runtime.agent import agent_named
from averment.runtime.built_in import built_in
from averment.runtime.verification.verdict import Check

if TYPE_CHECKING:
    from averment.ledger.entry import LedgerEntry
    from averment.runtime.run_context import RunContext
    from averment.runtime.services import Services
    from averment.store.runs.run_store import RunRow

RULE = "PLUGIN"
"""The rule of the entries that name a plugin."""

Body = dict[str, Any]
Named = tuple[str, str]
"""An extension point, and a name there."""


def write_plugins(work: RunContext) -> None:
    """Name every plugin that the run used in the ledger: package, version, the hash of its files, and what it gave."""
    row = work.services.store.runs.get(work.run_id)
    entries = work.services.ledgers.own.entries(request_id=work.run_id, from_sequence=work.journal.since_sequence)
    for plugin, added in _used(work.services, row, entries).items():
        work.journal.decide(
            f"plugin/{plugin.name}",
            decision="plugin_used",
            rule=RULE,
            reason=f"{plugin.name} {plugin.version} added what this run used",
            **plugin.as_dict(),
            adds=[list(each) for each in added],
        )


def check_plugins(services: Services, row: RunRow, entries: list[LedgerEntry]) -> list[Check]:
    """Every plugin that the ledger names for the run against what is installed, and whether none went unnamed."""
    named = [entry.event_data for entry in entries if entry.event_data.get("rule") == RULE]
    checks = [check_installed(body) for body in named]
    known = {str(body.get("plugin")) for body in named}
    for plugin, added in _used(services, row, entries).items():
        if plugin.name not in known:
            what = ", ".join(name for _, name in added)
            detail = f"the run holds {what}, but the ledger does not name the plugin"
            checks.append(Check(subject=f"plugin {plugin.name}", ok=False, detail=detail))
    return checks


def write_exporter(services: Services, run_id: str, form: str, content: bytes) -> None:
    """Name the plugin that wrote an export of the run in the ledger, with the hash of the file; each file once.

    Raises:
        LedgerError: this home's ledger cannot be written.
    """
    plugin = plugins.owner("exports", form)
    if plugin is None:
        return
    file = hashlib.sha256(content).hexdigest()
    services.ledgers.own.append(
        request_id=derived_id(run_id, "exports"),
        event_type="policy_decision",
        event_data={
            "decision": "exported",
            "rule": RULE,
            "reason": f"{plugin.name} {plugin.version} wrote an export of the run",
            **plugin.as_dict(),
            "adds": [["exports", form]],
            "run_id": run_id,
            "file_sha256": file,
        },
        actor="safety",
        entry_id=derived_id(run_id, "exports", form, plugin.sha256, file),
    )


def told_exports(services: Services, row: RunRow) -> list[Check]:
    """The exports of a run that plugins wrote, as this home's ledger names them.

    None of them fails: the run needs no plugin that wrote one. Each is told with the hash by which its file is known.
    """
    entries = services.ledgers.view.entries(request_id=derived_id(row.run_id, "exports"))
    return [
        Check(
            subject=f"export {said['adds'][0][1]}",
            ok=True,
            detail=f"{said['plugin']} {said['version']}, SHA-256 {said['sha256']}, wrote {said['file_sha256']}",
        )
        for said in (entry.event_data for entry in entries)
    ]


def check_installed(body: Body) -> Check:
    """A named plugin against what is installed now.

    Another version may compute the same, which the recomputation says, but must be named.
    """
    name, version = str(body.get("plugin")), str(body.get("version"))
    adds = ", ".join(f"{each[0]} {each[1]}" for each in cast("list[list[str]]", body.get("adds") or []))
    subject = f"plugin {name}"
    now = plugins.installed(name)
    if now is None:
        detail = f"{name} {version}, which added {adds}, is not installed here"
        return Check(subject=subject, ok=False, detail=detail)
    if now.version != version:
        detail = f"{version} made the run and {now.version} checks it; it adds {adds}"
        return Check(subject=subject, ok=True, detail=detail)
    same = now.sha256 == body.get("sha256")
    detail = f"{version}, same files, SHA-256 {now.sha256}; it adds {adds}"
    return Check(subject=subject, ok=same, detail=detail if same else f"{version} has other files than the run used")


def _used(services: Services, row: RunRow, entries: Iterable[LedgerEntry]) -> dict[Plugin, list[Named]]:
    """The plugins behind what a run's stored bodies and its calls of models name, each with what it gave."""
    found: dict[Plugin, list[Named]] = {}
    if not plugins.any_installed():
        return found
    asked = {("models", str(each.event_data.get("provider"))) for each in entries}
    for point, name in sorted({*_names(services, row), *asked}):
        if name not in plugins.names(point, built_in(point)):
            continue
        plugin = plugins.owner(point, name)
        if plugin is not None:
            found.setdefault(plugin, []).append((point, name))
    return found


def _names(services: Services, row: RunRow) -> Iterator[Named]:
    yield "agents", str(agent_named(row))
    yield from _of_sources(row)
    runs = services.store.runs
    for call in runs.records(row.run_id, "call"):
        yield "tools", str(call.get("tool_name"))
        arguments = call.get("arguments")
        if isinstance(arguments, dict):
            yield "charts", str(arguments.get("type"))
            yield "providers", str(arguments.get("provider"))
    for observation in runs.records(row.run_id, "observation"):
        data = observation.get("data")
        if isinstance(data, dict):
            yield "jails", str(data.get("jail"))
    planned = runs.record(row.run_id, "planned", "planned") or {}
    for body in _inside(planned.get("reading")):
        statistic = body.get("statistic")
        if isinstance(statistic, dict):
            yield "operations", str(statistic.get("kind"))
    conclusion = runs.record(row.run_id, "conclusion", "conclusion") or {}
    for claim in conclusion.get("claims") or ():
        yield "claims", str(claim.get("relation"))
    quoted = {str(each["snapshot_sha256"]) for each in _inside(conclusion) if each.get("kind") == "span"}
    if quoted:
        from averment.store.corpus.documents import CorpusStore

        yield from (("readers", kind) for kind in CorpusStore(services.store.database).kinds_of(quoted))


def _of_sources(row: RunRow) -> Iterator[Named]:
    try:
        sources: list[Body] = json.loads(str(row.request.get("catalog") or "{}")).get("sources") or []
    except ValueError:
        return
    for source in sources:
        yield "sources", str(source.get("format"))
        yield "engines", str(source.get("format"))


def _inside(body: Any) -> Iterator[Body]:
    """Every object in a body, however deep."""
    if isinstance(body, dict):
        yield cast("Body", body)
        for each in cast("Body", body).values():
            yield from _inside(each)
    elif isinstance(body, list):
        for each in cast("list[Any]", body):
            yield from _inside(each)
