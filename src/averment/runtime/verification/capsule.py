"""The capsule: what an exported report carries so that whoever gets it can check it with nothing else.

It holds how the question was read, every call, what was concluded, the run's sealing entry and those that name plugins,
each with the proof that it is under a signed checkpoint, and the names and hashes of the sources; no kept table, and no
path of the machine that it was made on. A signature by the ledger's key over the whole file comes last. Both are
comments at the end of the HTML.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment.errors import AvermentError, InvalidRequest, VerificationFailed
from averment.records.base import iso_z, picked
from averment.runtime.plugins_used import RULE as PLUGIN
from averment.runtime.seal import call_bodies
from averment.runtime.verification.seal_check import sealing_entry
from averment.version import VERSION

if TYPE_CHECKING:
    from averment.runtime.outcome import Proof
    from averment.runtime.services import Services
    from averment.store.runs.run_store import RunRow

FORM = "averment.capsule/1"
SUBJECT = "averment report"
"""The first line of what is signed; a checkpoint has another, so that neither can pass for the other."""

_CAPSULE = re.compile(rb"<!-- averment-capsule ([A-Za-z0-9+/=]+) -->\n")
_SIGNATURE = re.compile(rb"<!-- averment-signature ([A-Za-z0-9+/=]+) -->\n\Z")
LARGEST = 256 * 1024 * 1024
"""A capsule that unpacks to more is not one."""


def enclose(services: Services, row: RunRow, proof: Proof, html: bytes, *, texts: Sequence[str]) -> bytes:
    """The HTML of a run's report with its capsule and the signature over both; unsealed runs go without.

    ``texts`` are what the report shows, block by block, so that whoever checks it can name what was changed.
    """
    if sealing_entry(services, row) is None:
        return html
    try:
        ledger = services.ledgers.own
    except AvermentError:
        return html  # Without the key, as in a home of someone else, nothing can be signed.
    sealed = row.sealed or {}
    note = str(sealed["checkpoint"])
    try:
        proven = ledger.prove(int(sealed["sequence_number"]), note)
    except (InvalidRequest, ValueError):
        return html  # Sealed in another host's ledger, whose entries that host alone can prove.
    if row.run_id not in str(proven["line"]):
        return html
    needed = [
        ledger.prove(entry.sequence_number, note)
        for entry in ledger.entries(row.run_id)
        if entry.event_data.get("rule") == PLUGIN
    ]
    body = {**_capsule(services, row, proof), **proven, "plugins": needed, "texts": list(texts)}
    packed = base64.b64encode(zlib.compress(json.dumps(body).encode(), 9))
    whole = html + b"<!-- averment-capsule " + packed + b" -->\n"
    digest = hashlib.sha256(whole).hexdigest()
    signature = base64.b64encode(ledger.sign(f"{SUBJECT}\n{digest}\n".encode()))
    return whole + b"<!-- averment-signature " + signature + b" -->\n"


def disclose(content: bytes) -> tuple[bytes, dict[str, Any], str, bytes]:
    """The report without its capsule, the capsule, the hash that was signed, and the signature.

    Raises:
        VerificationFailed: the file carries none, or they cannot be read.
    """
    signed = _SIGNATURE.search(content)
    whole = content[: signed.start()] if signed is not None else content
    found = _CAPSULE.search(whole)
    if found is None or signed is None:
        missing = "capsule" if found is None else "signature"
        raise VerificationFailed(
            f"The file has no {missing}, so it cannot be verified on its own.",
            hint="Export it again with `averment export RUN --to html`, or verify the run in its home.",
        )
    try:
        unpacking = zlib.decompressobj()
        body: dict[str, Any] = json.loads(unpacking.decompress(base64.b64decode(found[1], validate=True), LARGEST))
        if body["form"] != FORM:
            raise ValueError("unknown capsule format")
        signature = base64.b64decode(signed[1], validate=True)
    except (ValueError, KeyError, TypeError, zlib.error) as error:
        raise VerificationFailed(f"The file's capsule cannot be read: {error}.") from error
    return whole[: found.start()] + whole[found.end() :], body, hashlib.sha256(whole).hexdigest(), signature


def _capsule(services: Services, row: RunRow, proof: Proof) -> dict[str, Any]:
    runs, run_id = services.store.runs, row.run_id
    catalog = json.loads(str(row.request["catalog"]))
    for source in catalog.get("sources", ()):
        source["location"], source["attach_path"] = source["label"], ""
    request = dict(row.request["request"])
    places = request.get("data_sources") or []
    request["data_sources"] = [Path(one).name if isinstance(one, str) else _without_places(one) for one in places]
    return {
        "form": FORM,
        "version": VERSION,
        "key": services.ledgers.own.key.text,
        "run": {
            "run_id": run_id,
            **picked(row, "kind", "status", "intent", "answer", "reading", "plan"),
            "created_at": iso_z(row.created_at),
            "request": {
                "request": request,
                "catalog": json.dumps(catalog),
                "since_sequence": 1,
                "read": row.request.get("read"),
            },
        },
        "records": {
            "planned": runs.record(run_id, "planned", "planned"),
            "conclusion": runs.record(run_id, "conclusion", "conclusion"),
            "round": runs.records(run_id, "round"),
            "taken": runs.records(run_id, "taken"),
            "calls": [[call, _without_places(observed)] for call, observed in call_bodies(services, run_id)],
        },
        "proof": proof.model_dump(mode="json", exclude={"pictures"}),
        "pictures": sorted(proof.pictures),
    }


def _without_places(value: Any) -> Any:
    """A stored body in which every place on the machine is only the name of what lies there."""
    if isinstance(value, list):
        return [_without_places(each) for each in value]
    if not isinstance(value, dict):
        return value
    named = {"ref", "location", "file_path", "attach_path", "connection_string"}
    return {
        key: Path(str(each)).name if key in named and isinstance(each, str) else _without_places(each)
        for key, each in value.items()
    }
