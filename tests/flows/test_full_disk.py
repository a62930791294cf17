"""A full disk ends a run by its own code, leaves nothing half-written, and the run goes on when there is room."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from averment import Workbench
from averment.errors import AvermentError, DiskFull
from averment.ledger.verify import verify_file
from averment.runtime.events import Event
from averment.settings import Settings

pytestmark = [
    pytest.mark.xdist_group("flows"),
    pytest.mark.skipif(os.getuid() != 0, reason="mounting a small disk needs root"),
]
QUESTION = "total amount by region in 2024"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(place)], check=True)
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(disk: Path) -> None:
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            return


@pytest.mark.parametrize("moment", ["plan_made", "call_started", "finding_bound", "artifact_written"])
def test_a_full_disk_ends_the_run_by_its_code_and_it_goes_on_when_there_is_room(
    disk: Path, sales: Path, moment: str
) -> None:
    def listen(event: Event) -> None:
        if event.type == moment and not (disk / "filler").exists():
            fill(disk)

    home = disk / "home"
    workbench = Workbench(settings=Settings(home=home))
    with pytest.raises(DiskFull) as caught:
        workbench.analyze(QUESTION, [sales], on_event=listen)
    assert caught.value.hint
    try:
        workbench.close()
    except AvermentError as error:
        assert error.code == "DISK_FULL"
    (disk / "filler").unlink()
    with Workbench(settings=Settings(home=home)) as again:
        run = again.runs.resume(again.runs.list()[0].id)
        assert run.status == "completed"
        assert again.verify(run.id).ok
    assert verify_file(home / "logs" / "data_agent_runs.jsonl").ok
    assert not [path for path in (home / "artifacts").rglob("*") if path.name.startswith((".", "tmp"))]
