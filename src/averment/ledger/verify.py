"""The strict offline verifier: a log, the checkpoints and the key beside it, and nothing else.

``python -m averment.ledger.verify FILE`` needs no home, no settings and no network. A key that lies beside the file
shows that the file is whole; only a key that was obtained elsewhere and given with ``--key`` shows who signed it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from averment.errors import AvermentError, InvalidRequest, LedgerUnavailable
from averment.ledger.chain import ChainResult, check_chain
from averment.ledger.checkpoint import BadNote, Checkpoint, parse_checkpoint, split_notes
from averment.ledger.keychain import KeyValidity, reigns
from averment.ledger.keys import BadKey, VerifierKey
from averment.ledger.lines import read_present, snapshot
from averment.ledger.report import KeySource, LedgerFault, LedgerReport

LOCK_PATIENCE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Trust:
    """The key that is trusted, where it came from, and the key beside the file."""

    key: VerifierKey | None
    source: KeySource | None
    beside: VerifierKey | None


def verify_file(
    path: Path | str,
    *,
    key: str | None = None,
    pinned: VerifierKey | None = None,
    checkpoints: Path | str | None = None,
    witnessed: Sequence[str] = (),
    expect_entries: int | None = None,
) -> LedgerReport:
    """Check every line, every checkpoint and the key of a log.

    Args:
        path: the log.
        key: a verifier key ``name+hash+base64`` obtained elsewhere; without it the one beside the file is taken.
        pinned: the key that this log was first seen with; without a given key it is the one that is trusted.
        checkpoints: the checkpoint file, if it is not the one beside the log.
        witnessed: checkpoints kept elsewhere (in a report, in a database) that must hold too.
        expect_entries: how many entries the log must have at least.

    Raises:
        InvalidRequest: the given key is not a verifier key.
        LedgerUnavailable: there is no log, or it cannot be read.
    """
    log = Path(path)
    notes_path = log.with_name(f"{log.name}.checkpoints") if checkpoints is None else Path(checkpoints)
    key_path = log.with_name(f"{log.name}.pub")
    faults: list[LedgerFault] = []
    try:
        with snapshot(log, beside=(notes_path, key_path), patience=LOCK_PATIENCE_SECONDS) as view:
            trust = _trust(key, pinned, view.beside.get(key_path), faults)
            notes = _parse_notes(view.beside.get(notes_path, b""), faults)
            notes += _parse_witnessed(witnessed, faults)
            chain = check_chain(view.descriptor, view.size, (note.size for note in notes))
    except FileNotFoundError as error:
        beside = read_present((notes_path, key_path))
        if notes_path not in beside and not witnessed:
            raise LedgerUnavailable(f"There is no ledger {log.name}.", hint="Give the path of the log.") from error
        trust = _trust(key, pinned, beside.get(key_path), faults)
        notes = _parse_notes(beside.get(notes_path, b""), faults) + _parse_witnessed(witnessed, faults)
        chain = ChainResult()
    except OSError as error:
        raise LedgerUnavailable(f"The ledger {log.name} cannot be read: {error.strerror}.") from error
    return judge(chain, notes, trust, expect_entries, faults)


def judge(
    chain: ChainResult, notes: Sequence[Checkpoint], trust: Trust, expect_entries: int | None, faults: list[LedgerFault]
) -> LedgerReport:
    """What checked lines and parsed checkpoints come to; ``faults`` are those that are known already."""
    verified_to = chain.tree.size
    if chain.fault is not None:
        faults.append(chain.fault)
    sealed_to = 0
    if trust.key is not None:
        sealed_to = _check_checkpoints(chain, notes, trust.key, trust, faults)
    elif notes and all(fault.reason != "key_malformed" for fault in faults):
        faults.append(LedgerFault(0, "key_missing", "There are checkpoints, but no key to check them with."))
    if expect_entries is not None and verified_to < expect_entries and chain.fault is None:
        faults.append(_truncated(verified_to, expect_entries, "were expected"))
    return LedgerReport(
        verified_to=verified_to,
        sealed_to=sealed_to,
        unsealed_tail=verified_to - sealed_to,
        first_fault=min(faults, key=lambda fault: fault.line, default=None),
        root=chain.tree.root().hex(),
        checkpoints=len(notes),
        key=trust.key.label if trust.key is not None else None,
        key_source=trust.source,
    )


def _check_checkpoints(
    chain: ChainResult, notes: Sequence[Checkpoint], trusted: VerifierKey, trust: Trust, faults: list[LedgerFault]
) -> int:
    """How far the log is signed; what speaks against a checkpoint is added to the faults."""

    def sealed_by(key: VerifierKey, size: int) -> bool:
        return any(note.size == size and chain.roots.get(size) == note.root and note.signed_by(key) for note in notes)

    line_of_keys = reigns(trusted, chain.rotations, sealed_by)
    sealed_to, anchored = 0, False
    for note in notes:
        signers = [reign for reign in line_of_keys if note.signed_by(reign.key)]
        fault = _check_signers(note, signers, line_of_keys) or _check_root(note, chain, sealed_to)
        if fault is not None:
            faults.append(fault)
        elif note.size <= chain.tree.size:
            sealed_to = max(sealed_to, note.size)
            anchored = anchored or any(reign.key == trusted for reign in signers)
    if trust.beside is not None and notes and trust.beside != line_of_keys[-1].key:
        faults.append(
            LedgerFault(
                0,
                "key_mismatch",
                f"The key next to the file is {trust.beside.label}, not {line_of_keys[-1].key.label}.",
            )
        )
    if not anchored:
        # A line of keys counts only if the trusted one is in it with its own hand.
        sealed_to = 0
        strange = trust.source == "pinned" and notes and not faults  # What is broken besides says more.
        if chain.tree.size > 0 and (trust.source == "given" or strange):
            whose = "given key" if trust.source == "given" else "key that was pinned at first use,"
            # Behind a broken line nothing is read, so what broke it is named first.
            line = chain.tree.size + (chain.fault is not None)
            faults.append(LedgerFault(line, "unsigned", f"No entry is signed by the {whose} {trusted.label}."))
    return sealed_to


def _check_signers(
    note: Checkpoint, signers: Sequence[KeyValidity], line_of_keys: Sequence[KeyValidity]
) -> LedgerFault | None:
    if any(reign.covers(note.size) for reign in signers):
        return None
    if signers:
        detail = f"The checkpoint of {note.size} entries is signed by {note.signers()}, which was not in force then."
        return LedgerFault(note.size, "checkpoint_key", detail)
    if any(line.key_id == reign.key.key_id for reign in line_of_keys for line in note.signatures):
        detail = f"The signature under the checkpoint of {note.size} entries is not valid."
        return LedgerFault(note.size, "checkpoint_signature", detail)
    detail = f"The checkpoint of {note.size} entries is signed by {note.signers()}, which is not trusted."
    return LedgerFault(note.size, "checkpoint_key", detail)


def _check_root(note: Checkpoint, chain: ChainResult, sealed_to: int) -> LedgerFault | None:
    if note.size > chain.tree.size:
        # Behind a broken line nothing can be said; behind a sound one the rest is gone.
        return _truncated(chain.tree.size, note.size, "were signed") if chain.fault is None else None
    if chain.roots[note.size] != note.root:
        detail = f"Lines {min(sealed_to + 1, note.size)} to {note.size} differ from the lines that were signed."
        return LedgerFault(note.size, "checkpoint_root", detail)
    return None


def _truncated(present: int, wanted: int, why: str) -> LedgerFault:
    missing = f"line {wanted} is" if wanted == present + 1 else f"lines {present + 1} to {wanted} are"
    return LedgerFault(present + 1, "truncated", f"{missing} missing: {wanted} entries {why}.".capitalize())


def _parse_notes(content: bytes, faults: list[LedgerFault]) -> list[Checkpoint]:
    """The checkpoints of a file, which must be whole, in order and in one mind."""
    try:
        texts, rest = split_notes(content.decode("utf-8"))
    except UnicodeDecodeError:
        faults.append(LedgerFault(0, "checkpoint_malformed", "The checkpoint file is not text."))
        return []
    found = parse_in_order(texts, faults)
    if rest:
        faults.append(
            LedgerFault(found[-1].size if found else 0, "checkpoint_torn", "The last checkpoint is incomplete.")
        )
    return found


def parse_in_order(texts: Sequence[str], faults: list[LedgerFault]) -> list[Checkpoint]:
    """The checkpoints that the texts state, each larger than the one before or of one mind with it."""
    found: list[Checkpoint] = []
    before: Checkpoint | None = None
    for place, text in enumerate(texts, start=1):
        line = before.size if before is not None else 0
        try:
            note = parse_checkpoint(text)
        except BadNote as error:
            faults.append(LedgerFault(line, "checkpoint_malformed", f"Checkpoint {place} cannot be read: {error}"))
            continue
        if before is not None and note.size < before.size:
            detail = f"Checkpoint {place} has {note.size} entries, the one before it {before.size}."
            faults.append(LedgerFault(note.size, "checkpoint_order", detail))
        elif before is not None and note.size == before.size:
            if note.root_hex != before.root_hex:
                detail = f"Two checkpoints of {note.size} entries name two roots."
                faults.append(LedgerFault(note.size, "checkpoint_conflict", detail))
            elif note.signers() == before.signers():
                detail = f"The checkpoint of {note.size} entries appears twice."
                faults.append(LedgerFault(note.size, "checkpoint_order", detail))
        found.append(note)
        before = note
    return found


def _parse_witnessed(texts: Sequence[str], faults: list[LedgerFault]) -> list[Checkpoint]:
    found: list[Checkpoint] = []
    for place, text in enumerate(texts, start=1):
        try:
            found.append(parse_checkpoint(text))
        except BadNote as error:
            faults.append(
                LedgerFault(0, "checkpoint_malformed", f"Witnessed checkpoint {place} cannot be read: {error}")
            )
    return found


def _trust(given: str | None, pinned: VerifierKey | None, content: bytes | None, faults: list[LedgerFault]) -> Trust:
    beside: VerifierKey | None = None
    if content is not None:
        try:
            text = content.decode("utf-8")
            if not text.endswith("\n"):
                raise BadKey("The key does not end with a line feed.")
            beside = VerifierKey.parse(text[:-1])
        except (BadKey, UnicodeDecodeError) as error:
            faults.append(LedgerFault(0, "key_malformed", f"The key next to the file cannot be read: {error}"))
    if given is None and pinned is not None:
        return Trust(pinned, "pinned", beside)
    if given is None:
        return Trust(beside, "beside the file" if beside is not None else None, beside)
    try:
        return Trust(VerifierKey.parse(given.strip()), "given", beside)
    except BadKey as error:
        raise InvalidRequest(f"The given key cannot be used: {error}", details={"field": "key"}) from error


def main(arguments: Iterable[str] | None = None) -> int:
    """Verify one file from the command line; 0 when it holds, 5 when it does not, 1 when it cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m averment.ledger.verify", description="Verify a ledger offline.")
    parser.add_argument("file", type=Path, help="the log; its .checkpoints and .pub are expected next to it")
    parser.add_argument("--key", help="verifier key name+hash+base64 obtained elsewhere")
    parser.add_argument("--checkpoints", type=Path, help="checkpoint file, if not next to the log")
    parser.add_argument("--witnessed", type=Path, action="append", default=[], help="a checkpoint kept elsewhere")
    parser.add_argument("--expect-entries", type=int, help="entries the log must have at least")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    chosen = parser.parse_args(None if arguments is None else list(arguments))
    try:
        witnessed = [path.read_text(encoding="utf-8") for path in chosen.witnessed]
    except (OSError, UnicodeDecodeError) as error:
        parser.error(f"a witnessed checkpoint cannot be read: {error}")
    try:
        report = verify_file(
            chosen.file,
            key=chosen.key,
            checkpoints=chosen.checkpoints,
            witnessed=witnessed,
            expect_entries=chosen.expect_entries,
        )
    except AvermentError as error:
        body = json.dumps({"error": error.as_dict()}) if chosen.json else f"{error.message} {error.hint}"
        (sys.stdout if chosen.json else sys.stderr).write(f"{body}\n")
        return error.exit_code
    sys.stdout.write(f"{json.dumps(report.as_dict()) if chosen.json else report.as_text()}\n")
    return 0 if report.ok else 5


if __name__ == "__main__":
    sys.exit(main())
