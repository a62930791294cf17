"""A process that researches and dies by SIGKILL where it is told to.

python victim.py HOME KIND NUMBER FOLDER     right after the event of that kind (and round) was kept
python victim.py HOME none 0 FOLDER          never
python victim.py HOME resume 0               goes on with the one run of the home

VICTIM_DATABASE_URL moves the home's database.
"""

import os
import signal
import sys
from pathlib import Path

from averment.runtime.events import Event
from averment.settings import Settings
from averment.workbench import Workbench


def main() -> None:
    home, kind, number, folders = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4:]

    def listen(event: Event) -> None:
        if event.type == kind and event.data.get("number", number) == number:
            os.kill(os.getpid(), signal.SIGKILL)

    with Workbench(settings=Settings(home=home, database_url=os.environ.get("VICTIM_DATABASE_URL"))) as workbench:
        if kind == "resume":
            run = workbench.runs.resume(workbench.runs.list()[0].id)
        else:
            run = workbench.research(
                "When was Lindholm Harbour deepened?", corpus=folders, depth="quick", on_event=listen
            )
        sys.stdout.write(f"{run.id} {run.status}\n")


if __name__ == "__main__":
    main()
