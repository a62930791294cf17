"""What checking said of runs while this server runs, so that every window on a run shows the same badge."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime

from averment.records.base import utc_now
from averment.spine.verdict import Verification

MOST = 500


@dataclass(frozen=True)
class Verdict:
    """The last check of a run: what it said, and when."""

    verification: Verification
    at: datetime


class Verdicts:
    """The last verdicts, the oldest forgotten first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Verdict] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, verification: Verification) -> Verdict:
        """Remember what a check said."""
        verdict = Verdict(verification, utc_now())
        with self._lock:
            self._kept[verification.run_id] = verdict
            self._kept.move_to_end(verification.run_id)
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        return verdict

    def last(self, run_id: str) -> Verdict | None:
        """What the last check of a run said, or None when it was not checked."""
        with self._lock:
            return self._kept.get(run_id)

    def drop(self, run_id: str) -> None:
        """Forget a run's verdict with the run."""
        with self._lock:
            self._kept.pop(run_id, None)
