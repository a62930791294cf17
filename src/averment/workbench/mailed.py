"""Checking a report that was mailed: the file, its sources, and nothing else; no home, no ledger, no network.

The signature shows that not a byte was changed since the export. The sealing entry shows that the ledger held it. With
the sources every number is computed again, and the report is rendered anew and compared, so that a change is named with
its place.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from averment.errors import AvermentError, SourceNotFound, VerificationFailed
from averment.factory import AgentFactory
from averment.ledger.checkpoint import BadNote, parse_checkpoint
from averment.ledger.entry import LedgerEntry
from averment.ledger.keys import BadKey, VerifierKey
from averment.ledger.lines import parse_line
from averment.ledger.proof import InclusionProof
from averment.ledger.replicated import parse_key
from averment.records.marks import Marks, marks_of
from averment.runtime.agent import TellingAgent
from averment.runtime.decisions import Conclusion
from averment.runtime.journal import digest
from averment.runtime.kept_checks import check_of
from averment.runtime.outcome import Proof
from averment.runtime.plugins_used import RULE as PLUGIN
from averment.runtime.plugins_used import check_installed
from averment.runtime.run_context import RunContext
from averment.runtime.services import Services
from averment.runtime.verification.capsule import SUBJECT, disclose
from averment.runtime.verification.merged_entries import RULE
from averment.runtime.verification.recomputation import rederive
from averment.runtime.verification.record_checks import first_difference
from averment.runtime.verification.verdict import Check, Verification
from averment.settings import Settings
from averment.store.runs.run_rows import RunRow
from averment.version import TELLERS, VERSION

_PICTURE = re.compile(rb"data:image/png;base64,[A-Za-z0-9+/=]+")


def verify_report(
    path: str | Path, *, sources: Sequence[str | Path] = (), keys: Sequence[str] = (), settings: Settings
) -> Verification:
    """Every check of an exported HTML report; sources that are not given are looked for beside it by their name.

    Raises:
        SourceNotFound: there is no such file.
        VerificationFailed: the file carries nothing to check it by.
        InvalidRequest: a given key is not a verifier key.
    """
    place = Path(path)
    try:
        content = place.read_bytes()
    except OSError as error:
        raise SourceNotFound(f"The report {place.name} cannot be read: {error.strerror}.") from error
    html, body, signed, signature = disclose(content)
    try:
        key = VerifierKey.parse(str(body["key"]))
        checks = [_check_signature(key, signed, signature), _check_key(key, keys)]
        sealing, more = _check_seal(body, key)
        needed = _check_plugins(body, key)
    except (BadKey, BadNote, AvermentError, KeyError, ValueError, TypeError) as error:
        raise VerificationFailed(f"The file's capsule cannot be read: {error}.") from error
    checks += [*more, *needed]
    kind = str(body["run"]["kind"])
    teller = int((sealing.get("versions") or {}).get("teller", 0))
    given = [*sources, *_beside(place, body)]
    values, numbers = [], 0
    if given and all(check.ok for check in needed):  # What a missing plugin computed cannot be computed again.
        values, numbers = _recompute(body, html, given, settings, retold=teller == TELLERS.get(kind))
    verdict = Verification(
        run_id=str(body["run"]["run_id"]),
        checks=(*checks, *values),
        numbers_rederived=numbers,
        made_by=str(body["version"]),
        told_by=None if teller == TELLERS.get(kind) else teller,
    )
    return verdict.changed(marks=_marks(body, verdict, recomputed=bool(given)))


def _marks(body: dict[str, Any], verdict: Verification, *, recomputed: bool) -> Marks:
    """The marks of a report: its reading as it was sealed, and its figures as this check leaves them."""
    concluded = body["records"]["conclusion"]
    findings = Conclusion.model_validate(concluded).findings if concluded else ()
    sources = _labels(body)
    check = check_of(verdict, missing=() if recomputed else sources)
    return marks_of(body["run"]["reading"], findings, sources, check)


def _check_signature(key: VerifierKey, signed: str, signature: bytes) -> Check:
    holds = key.verifies(f"{SUBJECT}\n{signed}\n".encode(), signature)
    detail = f"the file is as {key.label} signed it" if holds else f"the file is not what {key.label} signed"
    return Check(subject="signature", ok=holds, detail=detail)


def _check_key(key: VerifierKey, keys: Sequence[str]) -> Check:
    if not keys:
        detail = f"{key.label}; only with --key is it known whose that is"
        return Check(subject="key", ok=True, detail=detail)
    trusted = any(parse_key(text) == key for text in keys)
    return Check(subject="key", ok=trusted, detail=f"{key.label} is {'' if trusted else 'not '}a key that was given")


def _check_seal(body: dict[str, Any], key: VerifierKey) -> tuple[dict[str, Any], list[Check]]:
    """The run's sealing entry is under the signed checkpoint, and holds what the capsule says."""
    run, records = body["run"], body["records"]
    entry, size, under = _proven(body, key, rule=RULE, run_id=run["run_id"])
    sealing = entry.event_data
    checks = [
        Check(
            subject="seal",
            ok=under and sealing.get("run_root") == body["proof"]["run_root"],
            detail=f"entry {entry.sequence_number} under a checkpoint of {size} entries",
        )
    ]
    conclusion = records["conclusion"]
    held = {
        "answer": ("answer_sha256", digest(str(run["answer"] or ""))),
        "plan": ("planned_sha256", digest(records["planned"])),
        "findings": ("findings_sha256", digest(conclusion["findings"] if conclusion else [])),
        "status": ("status", run["status"]),
    }
    if records["round"]:
        held["rounds"] = ("rounds_sha256", digest([records["round"], records["taken"]]))
    for name, (field, now) in held.items():
        same = sealing.get(field) == now
        checks.append(Check(subject=name, ok=same, detail="as sealed" if same else "differs from the seal"))
    return sealing, checks


def _check_plugins(body: dict[str, Any], key: VerifierKey) -> list[Check]:
    """Each plugin that the run's entries name against what is installed; earlier versions enclosed no such entry."""
    checks: list[Check] = []
    for said in body.get("plugins", ()):
        entry, _, under = _proven(said, key, rule=PLUGIN, run_id=body["run"]["run_id"])
        held = check_installed(entry.event_data)
        detail = "its entry is not one of the run's under the signed checkpoint"
        checks.append(held if under else Check(subject=held.subject, ok=False, detail=detail))
    return checks


def _proven(said: dict[str, Any], key: VerifierKey, *, rule: str, run_id: str) -> tuple[LedgerEntry, int, bool]:
    """An enclosed entry, the size of its checkpoint, and whether it is an entry of the run by that rule under it."""
    line, inclusion = str(said["line"]).encode("ascii"), said["inclusion"]
    entry = parse_line(line).entry()
    proof = InclusionProof(
        int(inclusion["sequence_number"]),
        bytes.fromhex(inclusion["leaf"]),
        tuple(bytes.fromhex(step) for step in inclusion["path"]),
        parse_checkpoint(str(inclusion["checkpoint"])),
    )
    under = proof.holds(line, key) and entry.request_id == run_id and entry.event_data.get("rule") == rule
    return entry, proof.checkpoint.size, under


def _beside(report: Path, body: dict[str, Any]) -> list[Path]:
    """Sources of the run that lie in the report's own folder."""
    return [found for label in _labels(body) if (found := report.parent / Path(label).name).exists()]


def _labels(body: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(source["label"]) for source in json.loads(body["run"]["request"]["catalog"])["sources"])


def _recompute(
    body: dict[str, Any], html: bytes, sources: Sequence[str | Path], settings: Settings, *, retold: bool
) -> tuple[list[Check], int]:
    with tempfile.TemporaryDirectory(prefix="averment-mailed-") as folder:
        room = settings.model_copy(
            update={
                "home": Path(folder) / "home",
                "database_url": None,
                "files_url": None,
                "key_dir": None,
                "pins_dir": Path(folder) / "pins",
                "witness_url": None,
                "model_provider": "none",
            }
        )
        services = Services(room)
        try:
            row = _unpack(services, body)
            if row.kind == "research":
                retold = False  # Its texts are read anew from the files that were given; they may rank otherwise.
                list(services.texts.corpus.add_sources([str(one) for one in sources]))
            agent = AgentFactory(services).agent_for_report(row)

            def compare(work: RunContext, conclusion: Conclusion) -> list[Check]:
                return [_compare_html(agent, work, conclusion, body, html)]

            then = compare if body["version"] == VERSION else None
            return rederive(services, agent, row, retold=retold, elsewhere=sources, then=then)
        except AvermentError as error:
            return [Check(subject="recomputation", ok=False, detail=error.message)], 0
        finally:
            services.close()


def _unpack(services: Services, body: dict[str, Any]) -> RunRow:
    """The run in a home of its own, for as long as it is checked."""
    run, records, runs = body["run"], body["records"], services.store.runs
    fields = {
        name: run[name] for name in ("run_id", "kind", "status", "intent", "request", "reading", "plan", "answer")
    }
    runs.create(RunRow(**fields))
    run_id = str(run["run_id"])
    for name in ("planned", "conclusion"):
        if records[name] is not None:
            runs.put(run_id, name, name, records[name])
    for name in ("round", "taken"):
        for number, one in enumerate(records[name], start=1):
            runs.put(run_id, name, f"{number:03d}", one)
    for call, observed in records["calls"]:
        runs.put(run_id, "call", str(call["call_id"]), call)
        if observed is not None:
            runs.put(run_id, "observation", str(call["call_id"]), observed)
    return runs.get(run_id)


def _compare_html(
    agent: TellingAgent, work: RunContext, conclusion: Conclusion, body: dict[str, Any], html: bytes
) -> Check:
    """The report rendered anew from the data; pictures are held by the signature alone."""
    from averment.reports.export import exported

    proof = Proof(**body["proof"], pictures=dict.fromkeys(body["pictures"], b"-"))
    anew = _PICTURE.sub(b"data:", exported(proof, agent.document(work, conclusion), to="html"))
    kept = _PICTURE.sub(b"data:", html)
    if anew == kept:
        return Check(subject="report", ok=True, detail="rendered again from the data, same bytes")
    return Check(subject="report", ok=False, detail=first_difference(kept, anew))
