"""A process that asks one question on a shared database and dies by SIGKILL around a write to its ledger.

python taken_over.py SETTINGS CSV before|after EVENT      around the first entry of that event
"""

import os
import signal
import sys
from typing import Any

from averment.ledger.writer import Ledger
from averment.settings import Settings
from averment.workbench import Workbench

QUESTION = "total amount by region"


def main() -> None:
    settings, csv, when, event = Settings.model_validate_json(sys.argv[1]), *sys.argv[2:]
    append = Ledger.append

    def watched(self: Ledger, **entry: Any) -> Any:
        if entry["event_type"] == event and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        made = append(self, **entry)
        if entry["event_type"] == event:
            os.kill(os.getpid(), signal.SIGKILL)
        return made

    Ledger.append = watched  # type: ignore[method-assign]
    with Workbench(settings=settings) as workbench:
        workbench.analyze(QUESTION, [csv])


if __name__ == "__main__":
    main()
