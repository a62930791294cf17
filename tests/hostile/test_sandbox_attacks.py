"""The public attack corpus against every jail this machine offers, judged by the same checks as the benchmark."""

from __future__ import annotations

import functools
import importlib.util
import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from averment.sandbox import bubblewrap
from averment.sandbox.choose import available, strongest
from averment.sandbox.protocol import Jail, Job
from averment.settings import Settings

HERE = Path(__file__).resolve().parent
DATA = HERE / "data" / "sandbox_attacks"
CASES = [json.loads(line) for line in (DATA / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
GOLD = {row["id"]: row for row in map(json.loads, (DATA / "gold.jsonl").read_text(encoding="utf-8").splitlines())}
JAILS = ("bubblewrap", "bubblewrap-shared", "landlock")
EXPECTED_OUTPUT = {
    "g-004": "101\n",
    "g-008": '["1", "22"]\n',
    "g-011": "ok\n",
    "g-012": "x" * 1_000_000 + "\n",
    "g-013": "",
    "g-016": "héllo ✓ 数据\n",
    "g-017": "",
}

pytestmark = [pytest.mark.thorough, pytest.mark.slow]


def _arena() -> ModuleType:
    path = HERE.parents[1] / "bench" / "sandbox_arena.py"
    spec = importlib.util.spec_from_file_location("sandbox_arena", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _jail(name: str) -> Jail:
    kinds = {kind.name: kind for kind in available(Settings())}
    kind = kinds["landlock" if name == "landlock" else "bubblewrap"]
    if not kind.usable:
        pytest.skip(f"{kind.name} is not usable here: {kind.why}")
    if name == "bubblewrap-shared":
        program = bubblewrap.find_program()
        assert program is not None
        if bubblewrap.rehearse(program, private=False).failure is not None:
            pytest.skip("bubblewrap without namespaces for every child is not usable here")
        return bubblewrap.BubblewrapJail(program=program, private=False, spares=3)
    return strongest(Settings.model_validate({"sandbox": name, "sandbox_spares": 3}))


@functools.cache
def _verdicts(name: str) -> dict[str, Any]:
    # All cases at once on a few threads: the sleepers wait together, and the jail is shown to serve threads.
    arena_module = _arena()
    jail = _jail(name)
    with tempfile.TemporaryDirectory(prefix="averment-arena-") as place, arena_module.surroundings():
        try:
            # Only the full jail has its tasks bounded by the kernel; elsewhere a watch ends the job a little later.
            bound = arena_module.TASKS * (1 if name == "bubblewrap" else 2)
            arena = arena_module.Arena(jail, Path(place), attack_seconds=6.0, task_bound=bound)
            jail.run(Job(code="pass"), Path(place) / "warm")
            with ThreadPoolExecutor(max_workers=3) as pool:
                return {verdict.id: verdict for verdict in pool.map(arena.judge, CASES)}
        finally:
            jail.close()


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
@pytest.mark.parametrize("name", JAILS)
def test_attacks_are_contained_and_ordinary_code_works(name: str, case: dict[str, str]) -> None:
    verdict = _verdicts(name)[case["id"]]
    expected = "contained" if GOLD[case["id"]]["expect"] == "contain" else "worked"
    assert verdict.outcome == expected, (case["title"], verdict.why, verdict.result)
    if expected == "worked":
        assert verdict.result.stdout == EXPECTED_OUTPUT[case["id"]]


def test_the_corpus_is_whole() -> None:
    assert len(CASES) == 72
    assert {case["id"] for case in CASES} == set(GOLD)


def test_the_arena_notices_an_escape() -> None:
    arena_module = _arena()
    assert arena_module.live_formula('a,b\n1,"=1+1"\n') is not None
    assert arena_module.live_formula("a,b\n-1,2\n") is None
    jail = _jail("landlock")
    with tempfile.TemporaryDirectory(prefix="averment-arena-") as place:
        try:
            arena = arena_module.Arena(jail, Path(place))
            said = arena.judge({"id": "s-000", "code": "print('PWNED s-000')"})
            leaked = arena.judge({"id": "s-001", "code": "open(OUT / 'a.csv', 'w').write('CANARY-x')"})
            broken = arena.judge({"id": "g-000", "code": "open('/nowhere')"})
        finally:
            jail.close()
    assert (said.outcome, leaked.outcome, broken.outcome) == ("escaped", "escaped", "refused")
