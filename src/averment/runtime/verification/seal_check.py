"""What a run shows against what its seal holds: the one rule behind every face.

Everything a face prints of a run that ended comes from the store, and the store can be changed by whoever may write to
the home. The sealing entry in the ledger holds the hash of all of it. A face asks here first (``require_held``), and
``verify`` asks the same (``check_held``) after it has checked the ledger itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from averment.errors import AvermentError, VerificationFailed
from averment.records.base import iso_z
from averment.runtime.decisions import in_force
from averment.runtime.journal import digest
from averment.runtime.seal import call_bodies, event_bodies, sealed_content
from averment.runtime.status import ANSWERED
from averment.runtime.verification.merged_entries import RULE
from averment.runtime.verification.verdict import Check
from averment.tools.result_store import kept_files

if TYPE_CHECKING:
    from averment.ledger.entry import LedgerEntry
    from averment.runtime.services import Services
    from averment.store.runs.run_store import RunRow

NAMES = {
    "request_sha256": "request",
    "planned_sha256": "plan",
    "rounds_sha256": "rounds",
    "calls_sha256": "calls",
    "findings_sha256": "findings",
    "conclusion_sha256": "conclusion",
    "answer_sha256": "answer",
    "status": "status",
    "created_at": "time it was asked",
    "artifacts": "list of artifacts",
    "artifacts_sha256": "descriptions of artifacts",
    "events_sha256": "events",
}
"""What the seal holds, by the name a person knows it under."""

_SINCE_VERSIONS = frozenset({"request_sha256", "calls_sha256", "conclusion_sha256", "created_at", "artifacts_sha256"})
"""What only seals with versions hold; runs that were sealed earlier are held by their ledger entries alone."""


def check_held(services: Services, row: RunRow, sealed: LedgerEntry, *, events: bool = True) -> list[Check]:
    """Each thing the run shows against the hash that its sealing entry holds of it."""
    held = sealed.event_data
    upto = int(held.get("events_to", 0)) if events else 0
    try:
        now = sealed_content(services, row, answer=str(row.answer or ""), status=row.status, events_to=upto)
        checks = [_compare(name, held.get(key), now.get(key)) for key, name in NAMES.items() if _counts(key, held, now)]
        if not events:
            checks = [check for check in checks if check.subject != NAMES["events_sha256"]]
        elif "events_to" in held:
            checks.append(_ended(services, row, held))
        planned = services.store.runs.record(row.run_id, "planned", "planned") or {}
        planned = in_force(planned, (call for call, _ in call_bodies(services, row.run_id)))
        checks.append(_compare("reading", planned.get("reading"), row.reading))
        checks.append(_compare("plan as shown", planned.get("plan"), row.plan))
        checks.append(_compare("seal as shown", _root(held), _root(row.sealed or {})))
        if "versions" in held and row.finished_at is not None:
            checks.append(_compare("time it ended", sealed.timestamp, iso_z(row.finished_at)))
    except AvermentError as error:
        return [Check(subject="stored run", ok=False, detail=error.message)]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return [Check(subject="stored run", ok=False, detail=f"a stored row cannot be read: {error}")]
    return checks


def check_kept(services: Services, row: RunRow) -> list[Check]:
    """Each table and picture that a call kept against the hash in its observation."""
    checks: list[Check] = []
    try:
        for body in services.store.runs.records(row.run_id, "observation"):
            for name, sha256 in sorted(kept_files(body.get("data")).items()):
                problem = _kept_fault(services, f"work/{row.run_id}/{name}", sha256)
                checks.append(Check(subject=f"kept result {name}", ok=problem is None, detail=problem or "as sealed"))
    except (AvermentError, TypeError, AttributeError) as error:
        checks.append(Check(subject="kept results", ok=False, detail=f"a stored row cannot be read: {error}"))
    return checks


def require_held(services: Services, row: RunRow) -> None:
    """Nothing, when what the store holds of a run is what was sealed; a run under way has no seal yet.

    Raises:
        VerificationFailed: it is not, or the ledger has no seal of a run that says it has its answer.
    """
    if row.status not in ANSWERED and not row.sealed:
        return
    sealed = sealing_entry(services, row)
    if sealed is None:
        raise _failure(row.run_id, "its seal")
    wrong = [check for check in check_held(services, row, sealed, events=False) if not check.ok]
    if row.status not in ANSWERED:
        # Killed between its seal and its end: only that it has ended is not noted yet.
        wrong = [check for check in wrong if check.subject != NAMES["status"]]
    if wrong:
        raise _failure(row.run_id, f"its {wrong[0].subject}")


def require_events(services: Services, row: RunRow) -> None:
    """Nothing, when what a sealed run told while it went is what was sealed.

    Raises:
        VerificationFailed: it is not.
    """
    sealed = sealing_entry(services, row) if row.status in ANSWERED else None
    held = {} if sealed is None else sealed.event_data
    if "events_sha256" not in held:
        return
    kept = digest(event_bodies(services, row.run_id, int(held["events_to"]))) == held["events_sha256"]
    if not kept or not _ended(services, row, held).ok:
        raise _failure(row.run_id, "its list of events")


def is_held(services: Services, row: RunRow) -> bool:
    """Whether what the store holds of a run is what was sealed."""
    try:
        require_held(services, row)
    except VerificationFailed:
        return False
    return True


def withheld(row: RunRow) -> RunRow:
    """What may be shown of a run that is not what was sealed: that there is one."""
    note = f"(not as it was sealed; see averment verify {row.run_id})"
    return replace(row, intent=note, answer=None, reading=None, plan=None, error=None)


def sealing_entry(services: Services, row: RunRow) -> LedgerEntry | None:
    """The run's sealing entry, read by its number; None where the ledger has none there."""
    from averment.ledger.lines import parse_line

    sealed: dict[str, Any] = row.sealed if isinstance(row.sealed, dict) else {}
    number, writer = sealed.get("sequence_number"), sealed.get("writer")
    if not isinstance(number, int) or number < 1:
        return None
    replication = services.ledgers.replication
    if replication is not None and writer is not None and writer != replication.writer:
        lines = replication.store.page(str(writer), before=number + 1, count=1, request_id=row.run_id)
        found = [parse_line(line).entry() for line in lines]
    else:
        found = [next(services.ledgers.view.entries(from_sequence=number), None)]
    for entry in found:
        if entry is not None and entry.sequence_number == number and entry.request_id == row.run_id:
            return entry if entry.event_data.get("rule") == RULE else None
    return None


def _ended(services: Services, row: RunRow, held: dict[str, Any]) -> Check:
    """What a run told after its seal: that it was sealed, and what it said, each at most once."""
    upto, said = int(held["events_to"]), list[str]()
    for number, kind, body, _ in event_bodies(services, row.run_id, None):
        if number <= upto:
            continue
        data = body.get("data") or {}
        given = {
            "run_sealed": {"sequence_number": (row.sealed or {}).get("sequence_number"), "run_root": held["run_root"]},
            "run_finished": {"status": row.status, "answer": row.answer},
        }.get(kind)
        said.append(kind if data == given else "")
    same = "" not in said and len(said) == len(set(said))
    return _compare("events after the seal", True, same)


def _counts(key: str, held: dict[str, Any], now: dict[str, Any]) -> bool:
    """Whether a hash is to be compared: an older seal holds fewer, and rounds are held where there were any."""
    if key in held:
        return True
    return key in now and key not in _SINCE_VERSIONS and key != "events_sha256"


def _compare(name: str, sealed: object, now: object) -> Check:
    same = sealed == now
    return Check(subject=name, ok=same, detail="as sealed" if same else "the store differs from the ledger")


def _root(body: dict[str, Any]) -> object:
    return body.get("run_root"), body.get("entries")


def _kept_fault(services: Services, relative: str, sha256: str) -> str | None:
    try:
        now = services.store.files.hash(relative)
    except AvermentError as error:
        return f"it is missing: {error.message}"
    return None if now.sha256 == sha256 else "it has other content than was sealed"


def _failure(run_id: str, what: str) -> VerificationFailed:
    return VerificationFailed(
        f"The run {run_id} is not shown: {what} is not what was sealed.",
        hint=f"`averment verify {run_id}` lists every change.",
        details={"run_id": run_id, "changed": what.removeprefix("its ")},
    )
