"""Which version of Averment this is, and of what it seals: plans, claims, and the wording of each agent.

A run's seal names them all. Whoever changes how an agent words the same results raises that agent's number in
``TELLERS``: runs that were told before keep their sealed words, and ``verify`` checks their numbers by their evidence
instead of calling another wording tampering.
"""

from __future__ import annotations

VERSION = "0.3.0"

PLAN_VERSION = 1
"""The form of plans."""

CLAIMS_VERSION = 1
"""The form of findings and claims."""

TELLERS: dict[str, int] = {"analysis": 9, "drilldown": 7, "research": 10, "chat": 1}
"""How each kind of run is worded: its answer, its findings, its files."""

UNNUMBERED = 0
"""The teller of a run that was sealed before tellers had numbers."""


def sealed_versions(teller: int) -> dict[str, str | int]:
    """What the seal of a run names that this teller worded."""
    return {"package": VERSION, "plan": PLAN_VERSION, "claims": CLAIMS_VERSION, "teller": teller}
