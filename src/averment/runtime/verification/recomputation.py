"""Re-deriving: the sources are read again from their bytes, every call is run again, every number is found again.

Nothing the run left behind is trusted here: snapshots are rebuilt, results recomputed, findings bound and the report
rendered anew, and only then compared with what was kept. A run that another teller worded is not told anew: its numbers
are found again by their evidence (``verify_told``).
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from averment.errors import AvermentError, SourceNotFound
from averment.evidence import derive
from averment.evidence.bind import value_of
from averment.evidence.values import faithful, same, scalar
from averment.records.run import (
    Artifact,
    CellEvidence,
    DerivedEvidence,
    Evidence,
    Finding,
    Observation,
    ResultEvidence,
    Slot,
    SpanEvidence,
    ToolCall,
)
from averment.runtime.agent import Agent, RoundAgent
from averment.runtime.execution.restore import calls_of, catalog_of, conclusion_of, open_work, planned_of, rounds_of
from averment.runtime.journal import digest
from averment.runtime.verification.record_checks import first_difference
from averment.runtime.verification.verdict import Check
from averment.tools.result_store import ResultStore

if TYPE_CHECKING:
    from averment.runtime.decisions import Conclusion, Round
    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import KeptRound
    from averment.runtime.services import Services
    from averment.store.runs.run_store import RunRow
    from averment.tables.catalog import Catalog, OpenedSource

_ABSENT = object()


def check_evidence(services: Services, work: RunContext, findings: tuple[Finding, ...]) -> tuple[list[Check], int]:
    """Every slot of every finding against what its evidence gives now, and how many there were."""
    checks: list[Check] = []
    slots = 0
    for finding in findings:
        wrong = [
            f"{name} says {bound.text}, the data do not give it"
            for name, bound in finding.slots.items()
            if not (
                faithful(bound.text, value_of(bound.evidence), unit=bound.unit)
                and _found_again(services, work, bound.evidence)
            )
        ]
        slots += len(finding.slots)
        detail = "; ".join(wrong) or f"its numbers were found again: {finding.text}"
        checks.append(Check(subject=f"finding {finding.finding_id}", ok=not wrong, detail=detail))
    return checks, slots


def _found_again(services: Services, work: RunContext, evidence: Evidence) -> bool:
    try:
        if isinstance(evidence, SpanEvidence):
            return services.texts.corpus.quote(evidence.snapshot_sha256, evidence.start, evidence.end) == evidence.quote
        if isinstance(evidence, DerivedEvidence):
            return derive.holds(evidence) and all(_found_again(services, work, each) for each in evidence.of)
        now = _cell(work, evidence) if isinstance(evidence, CellEvidence) else _value(work, evidence)
    except (AvermentError, OSError, IndexError, KeyError):
        return False
    return now is not _ABSENT and same(now, evidence.value)


def _cell(work: RunContext, evidence: CellEvidence) -> Any:
    for call, observation in work.state.answered.values():
        if observation.observation_id == evidence.observation_id:
            if not work.result_store.holds(call.call_id):
                return evidence.value  # Its table did not come with the report; the seal alone holds it.
            table = work.result_store.by_call(call.call_id)
            return scalar(table.column(evidence.column)[evidence.row].as_py())
    return _ABSENT


def _value(work: RunContext, evidence: ResultEvidence) -> Any:
    for call, observation in work.state.answered.values():
        if call.call_id == evidence.call_id:
            found: Any = observation.data
            for step in evidence.path.split("."):
                found = found[int(step)] if isinstance(found, list) else found[step]
            return scalar(found)
    return _ABSENT


WHERE_IT_LIES = frozenset({"ref", "jail", "png"})
"""Parts of an output that may differ between two honest runs: places, the jail's name, and pixels."""

DRAWN = frozenset({"plot.render"})
"""Tools whose pictures tell no number that is not told elsewhere, and may look otherwise in another version."""

RANKED = frozenset({"search.corpus", "document.answer"})
"""Tools whose choice among passages is this version's own; what they found is held by quotations."""

SEARCHED = frozenset({"metric.attribute", "metric.breakdown"})
"""Tools that search a change for its causes. Each version searches in its own way, so what an earlier one found is held
by its sealed hash."""

Then: TypeAlias = "Callable[[RunContext, Conclusion], list[Check]]"


def rederive(
    services: Services,
    agent: Agent,
    row: RunRow,
    *,
    retold: bool = True,
    elsewhere: Sequence[str | Path] = (),
    then: Then | None = None,
) -> tuple[list[Check], int]:
    """All checks by recomputation, and how many numbers were found again.

    With ``retold`` the run is told anew and compared word by word; without, its numbers are found again by their
    evidence. ``elsewhere`` names files that stand in for sources which are no longer where the run found them.
    ``then`` makes further checks of the work as it was told anew.
    """
    from averment.store.storage.local import FileStore

    with tempfile.TemporaryDirectory(prefix="averment-verify-") as folder:
        try:
            recorded = catalog_of(row)
            catalog = _reopen(services, row, recorded, Path(folder), elsewhere)
        except AvermentError as error:
            return [Check(subject="sources", ok=False, detail=error.message)], 0
        checks = _compare_sources(recorded, catalog)
        if any(not check.ok for check in checks):
            return checks, 0
        result_store = ResultStore(FileStore(Path(folder) / "files"), "work")
        work = open_work(services, row, catalog=catalog, result_store=result_store)
        try:
            more, numbers = _recompute(services, agent, row, work, retold=retold, then=then)
        except AvermentError as error:
            more, numbers = [Check(subject="recomputation", ok=False, detail=error.message)], 0
        finally:
            work.close()
        return checks + more, numbers


def _reopen(services: Services, row: RunRow, recorded: Catalog, room: Path, elsewhere: Sequence[str | Path]) -> Catalog:
    from averment.tables.sources.opening import open_sources
    from averment.tables.sources.options import ReadOptions

    if not recorded.sources:
        return recorded  # A run over archived texts alone.
    options = ReadOptions.from_dict(row.request.get("read") or {})
    places = [stand_in(source, elsewhere, room) for source in recorded.sources]
    cache = room / "cache"
    found = open_sources(places, settings=services.settings, cache_dir=cache, options=options)
    if found.schema() == recorded.schema():
        return found
    # Before marks counted as missing, they kept a column text; its run is checked over the columns that it saw.
    options = replace(options, marks="text")
    before = open_sources(places, settings=services.settings, cache_dir=cache, options=options)
    return before if before.schema() == recorded.schema() else found


def stand_in(source: OpenedSource, elsewhere: Sequence[str | Path], room: Path) -> str | Path:
    """Where a recorded source is to be read: the given file of its name or its content, else where it was."""
    given = [Path(one) for one in elsewhere]
    named = next((path for path in given if path.name == source.label), None)
    if named is not None:
        return named
    for path in given:
        if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == source.content_sha256:
            # The table is called after the file, so the file gets its old name back.
            linked = room / "sources" / source.label
            linked.parent.mkdir(exist_ok=True)
            linked.symlink_to(path.absolute())
            return linked
    return source.location


def _compare_sources(recorded: Catalog, now: Catalog) -> list[Check]:
    checks: list[Check] = []
    for before, after in zip(recorded.sources, now.sources, strict=True):
        if before.content_sha256 != after.content_sha256:
            detail = f"the content changed: SHA-256 was {before.content_sha256}, is {after.content_sha256}"
            checks.append(Check(subject=f"source {before.label}", ok=False, detail=detail))
        elif before.fingerprint != after.fingerprint:
            checks.append(Check(subject=f"source {before.label}", ok=False, detail="the columns or types changed"))
        else:
            detail = f"unchanged, SHA-256 {before.content_sha256}" if before.content_sha256 else "same schema"
            checks.append(Check(subject=f"source {before.label}", ok=True, detail=detail))
    return checks


def _recompute(
    services: Services, agent: Agent, row: RunRow, work: RunContext, *, retold: bool, then: Then | None = None
) -> tuple[list[Check], int]:
    planned, conclusion = planned_of(services, row.run_id), conclusion_of(services, row.run_id)
    if planned is None or planned.plan is None or conclusion is None:
        return [], 0
    work.state.reading = planned.reading
    if retold:
        work.state.plan = planned.parsed()
    rounds, taken = rounds_of(services, row.run_id)
    checks: list[Check] = []
    cells = 0
    of_rounds = {task.task_id: each.number for each in rounds for task in each.tasks}
    made = calls_of(services, row.run_id)
    for number in range(len(rounds) + 1):
        for call, observation in made:
            if of_rounds.get(call.task_id, 0) != number:
                continue
            if observation.status != "success":
                work.take(call, observation)
                continue
            check, again = _rerun(services, work, call, observation, retold=retold)
            checks.append(check)
            if again is None:
                return checks, 0
            work.take(call, again)
            cells += _cells(again)
        if retold and number and isinstance(agent, RoundAgent):
            checks.append(_retake(agent, work, rounds[number - 1], taken[number - 1 : number]))
    if not retold:
        by_evidence, slots = check_evidence(services, work, conclusion.findings)
        return [*checks, *by_evidence], cells + slots
    anew = agent.conclude(work)
    finding_checks, slots = _compare_findings(conclusion.findings, anew.findings)
    checks += [*finding_checks, *_compare_claims(conclusion, anew), _compare_answer(row, conclusion, anew)]
    checks += then(work, anew) if then is not None else []
    return [*checks, *_compare_artifacts(services, agent, row, work, anew)], cells + slots


def _compare_claims(kept: Conclusion, anew: Conclusion) -> list[Check]:
    """The claims, which programs read, against those the data carry now; nothing where none was made."""
    if not kept.claims and not anew.claims:
        return []
    now = {claim.claim_id: claim for claim in anew.claims}
    other = [one.claim_id for one in kept.claims if now.get(one.claim_id) != one]
    missing = sorted(set(now) - {one.claim_id for one in kept.claims})
    if other or missing:
        names = ", ".join([*other, *missing][:5])
        return [Check(subject="claims told again", ok=False, detail=f"the data give other claims: {names}")]
    return [Check(subject="claims told again", ok=True, detail=f"{len(kept.claims)} claims evaluated again, all hold")]


def _compare_answer(row: RunRow, kept: Conclusion, anew: Conclusion) -> Check:
    """The answer, as the run row shows it and as it was concluded, against what the data give now."""
    told = [text for text in (str(row.answer or ""), kept.answer) if text != anew.answer]
    if told:
        detail = first_difference(told[0].encode(), anew.answer.encode())
        return Check(subject="answer told again", ok=False, detail=detail)
    holds = kept.status == anew.status
    detail = "worded again from the data, same text" if holds else f"the data give the status {anew.status}"
    return Check(subject="answer told again", ok=holds, detail=detail)


def _retake(agent: RoundAgent, work: RunContext, decided: Round, kept: list[KeptRound]) -> Check:
    """A round's sense made again from its recomputed results."""
    work.state.rounds.append(decided)
    anew = agent.take_round(work, decided)
    work.state.taken.append(anew)
    subject = f"round {decided.number}"
    if not kept:
        return Check(subject=subject, ok=False, detail="the store has lost what was made of it")
    if digest(anew) == digest(kept[0]):
        return Check(subject=subject, ok=True, detail=f"{decided.decision}: taken again, same sense")
    return Check(subject=subject, ok=False, detail=f"gives another {', '.join(differences(kept[0], anew))}")


def _rerun(
    services: Services, work: RunContext, call: ToolCall, observation: Observation, *, retold: bool
) -> tuple[Check, Observation | None]:
    subject = f"call {call.task_id}"
    if not services.tools.registry.get(call.tool_name).annotations.idempotent:
        # The outside world cannot be asked again as it was; what was archived of it is checked by those who quote it.
        detail = f"{call.tool_name} asked the outside world; its recorded answer is taken as sealed"
        return Check(subject=subject, ok=True, detail=detail), observation
    if not retold and call.tool_name in RANKED:
        detail = f"{call.tool_name} may rank differently in this version; its recorded answer is taken as sealed"
        return Check(subject=subject, ok=True, detail=detail), observation
    if not retold and call.tool_name in DRAWN:
        detail = f"{call.tool_name} may draw differently in this version; its recorded picture is taken as sealed"
        return Check(subject=subject, ok=True, detail=detail), observation
    if not retold and call.tool_name in SEARCHED:
        return _hold(services, work, call, observation)
    read = [work.state.answered[task][0].call_id for task in _inputs(call) if task in work.state.answered]
    if not retold and not all(map(work.result_store.holds, read)):
        detail = f"{call.tool_name} read what did not come with the report; its recorded answer is taken as sealed"
        return Check(subject=subject, ok=True, detail=detail), observation
    try:
        arguments = services.tools.registry.validate(call.tool_name, call.arguments)
        output = services.tools.registry.get(call.tool_name).run(arguments, work.tool_context(call.call_id))
    except AvermentError as error:
        return Check(subject=subject, ok=False, detail=f"could not be run again: {error.message}"), None
    data: dict[str, Any] = output.model_dump(mode="json")
    again = observation.model_copy(update={"data": data})
    different = differences(observation.data or {}, data, added=retold)
    if different:
        return Check(subject=subject, ok=False, detail=f"gives another {', '.join(different)} when run again"), again
    return Check(subject=subject, ok=True, detail=f"{call.tool_name} run again, same result"), again


def _hold(
    services: Services, work: RunContext, call: ToolCall, observation: Observation
) -> tuple[Check, Observation | None]:
    """What an earlier version's search found, with its sealed hash, for the calls that read it."""
    subject = f"call {call.task_id}"
    kept = ResultStore(services.store.files, f"work/{work.run_id}")
    kept.expect(observation.data)
    detail = f"{call.tool_name} searches differently in this version; "
    if not kept.holds(call.call_id):
        return Check(subject=subject, ok=True, detail=f"{detail}its recorded answer is taken as sealed"), observation
    try:
        work.result_store.put(call.call_id, kept.by_call(call.call_id))
    except AvermentError as error:
        return Check(subject=subject, ok=False, detail=error.message), None
    return Check(subject=subject, ok=True, detail=f"{detail}its table has the sealed hash"), observation


def _inputs(call: ToolCall) -> list[str]:
    """The tasks whose tables a call is handed."""
    given: Any = call.arguments.get("inputs")
    return [str(task) for task in given] if isinstance(given, list) else []


def differences(
    before: Mapping[str, Any], after: Mapping[str, Any], path: str = "", *, added: bool = True
) -> list[str]:
    """The paths where two outputs differ; without ``added`` what only the later one has is no difference."""
    found: list[str] = []
    for key in sorted((set(before) | set(after) if added else set(before)) - WHERE_IT_LIES):
        left, right = before.get(key), after.get(key)
        if isinstance(left, dict) and isinstance(right, dict):
            found += differences(left, right, f"{path}{key}.", added=added)
        elif left != right:
            found.append(f"{path}{key}")
    return found


def _cells(observation: Observation) -> int:
    table = (observation.data or {}).get("table")
    return int(table["row_count"]) * len(table["columns"]) if isinstance(table, dict) else 0


def _compare_findings(before: tuple[Finding, ...], after: tuple[Finding, ...]) -> tuple[list[Check], int]:
    anew = {finding.finding_id: finding for finding in after}
    checks: list[Check] = []
    slots = 0
    for finding in before:
        other = anew.get(finding.finding_id)
        wrong = [_contrast(name, bound, other) for name, bound in finding.slots.items() if _departs(name, bound, other)]
        if other is not None and not wrong and other.text != finding.text:
            wrong = ["its text is not what its evidence gives"]
        slots += len(finding.slots)
        detail = "; ".join(wrong) or f"re-derived: {finding.text}"
        checks.append(Check(subject=f"finding {finding.finding_id}", ok=not wrong, detail=detail))
    return checks, slots


def _departs(name: str, bound: Slot, other: Finding | None) -> bool:
    if other is None or name not in other.slots:
        return True
    return not same(value_of(bound.evidence), value_of(other.slots[name].evidence))


def _contrast(name: str, bound: Slot, other: Finding | None) -> str:
    given = other.slots[name].text if other is not None and name in other.slots else "nothing"
    return f"{name} says {bound.text}, the data give {given}"


def _compare_artifacts(
    services: Services, agent: Agent, row: RunRow, work: RunContext, conclusion: Conclusion
) -> list[Check]:
    """What is on disk against what the data give now; a picture is held by its specification and its own hash."""
    drafts = {draft.name: draft for draft in agent.report(work, conclusion)}
    checks: list[Check] = []
    for artifact in services.store.artifacts.list(row.run_id):
        name = Path(artifact.content_ref).name
        draft = drafts.get(name)
        if draft is None or name.endswith(".png"):
            continue
        content = _kept(services, artifact)
        subject = f"content of {name}"
        if content == draft.content:
            checks.append(Check(subject=subject, ok=True, detail="rendered again from the data, same bytes"))
        else:
            checks.append(Check(subject=subject, ok=False, detail=first_difference(content, draft.content)))
    return checks


def _kept(services: Services, artifact: Artifact) -> bytes | None:
    try:
        return services.store.files.read(artifact.content_ref)
    except SourceNotFound:
        return None
