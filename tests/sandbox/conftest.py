"""The jails this machine offers, each started once for all tests of this folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from averment.sandbox import bubblewrap
from averment.sandbox.choose import available, strongest
from averment.sandbox.protocol import Jail, JailResult, Job
from averment.settings import Settings

Run = Callable[..., JailResult]


def make_jail(name: str, spares: int = 2) -> Jail:
    kinds = {kind.name: kind for kind in available(Settings())}
    kind = kinds["landlock" if name == "landlock" else "bubblewrap"]
    if not kind.usable:
        pytest.skip(f"{kind.name} is not usable here: {kind.why}")
    if name == "bubblewrap-shared":
        program = bubblewrap.find_program()
        assert program is not None
        if bubblewrap.rehearse(program, private=False).failure is not None:
            pytest.skip("bubblewrap without namespaces for every child is not usable here")
        return bubblewrap.BubblewrapJail(program=program, private=False, spares=spares)
    return strongest(Settings.model_validate({"sandbox": name, "sandbox_spares": spares}))


@pytest.fixture(scope="session", params=["bubblewrap", "bubblewrap-shared", "landlock"])
def jail(request: pytest.FixtureRequest) -> Iterator[Jail]:
    made = make_jail(request.param)
    yield made
    made.close()


@pytest.fixture
def run(jail: Jail, tmp_path: Path) -> Run:
    """Run code in the jail; keywords are the job's."""

    def act(code: str, **job: Any) -> JailResult:
        job.setdefault("timeout_seconds", 20)
        return jail.run(Job(code=code, **job), tmp_path / "collected")

    return act
