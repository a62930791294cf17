"""The sandbox: does it hold, does ordinary code work in it, and what does a call cost?

``predict`` answers the ``sandbox_attacks`` set. Run as a program it measures warm calls beside a fresh, unprotected
interpreter that does the same work, in the same run, alternating.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from averment.sandbox.choose import strongest
from averment.sandbox.protocol import Jail, Job
from averment.settings import Settings

sys.path.insert(0, str(Path(__file__).resolve().parent))

from sandbox_arena import Arena, surroundings

TRIVIAL = "print(6 * 7)"
PANDAS = """
import pandas as pd
frame = pd.DataFrame({"region": ["north", "south", "east"] * 100, "amount": range(300)})
print(frame.groupby("region")["amount"].agg(["sum", "mean"]).to_csv())
"""


def predict(data_dir: Path, sandbox: str = "auto") -> Iterator[dict[str, Any]]:
    """One outcome for every case, by the arena's own checks."""
    lines = (Path(data_dir) / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines if line.strip()]
    jail = strongest(Settings.model_validate({"sandbox": sandbox}))
    with tempfile.TemporaryDirectory(prefix="averment-arena-") as place, surroundings():
        try:
            arena = Arena(jail, Path(place))
            jail.run(Job(code="pass"), Path(place) / "warm")
            for case in cases:
                verdict = arena.judge(case)
                yield {
                    "id": verdict.id,
                    "outcome": verdict.outcome,
                    "why": verdict.why,
                    "jail": jail.name,
                    "seconds": round(verdict.seconds, 4),
                }
        finally:
            jail.close()


def _timed(act: Callable[[], str]) -> tuple[float, str]:
    started = time.perf_counter()
    output = act()
    return (time.perf_counter() - started) * 1000, output


def _in_jail(jail: Jail, code: str, place: Path) -> str:
    result = jail.run(Job(code=code), place)
    assert result.status == "ok", result
    return result.stdout


def _bare(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def _figures(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {
        "median_ms": round(ordered[len(ordered) // 2], 2),
        "p95_ms": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))], 2),
    }


def measure(sandbox: str, calls: int, bare_calls: int) -> dict[str, Any]:
    """Cold start and warm calls of one jail, beside fresh interpreters without any protection."""
    jail = strongest(Settings.model_validate({"sandbox": sandbox}))
    report: dict[str, Any] = {"bench": "sandbox", "jail": jail.name, "calls": calls, "bare_calls": bare_calls}
    with tempfile.TemporaryDirectory(prefix="averment-bench-") as name:
        place = Path(name)
        try:
            report["cold_start_ms"] = round(_timed(lambda: _in_jail(jail, TRIVIAL, place))[0], 1)
            for label, code in (("trivial", TRIVIAL), ("pandas", PANDAS)):
                expected = _bare(code)
                jailed: list[float] = []
                bare: list[float] = []
                for number in range(calls):
                    took, output = _timed(lambda code=code: _in_jail(jail, code, place))
                    assert output == expected, (output, expected)
                    jailed.append(took)
                    if number % max(1, calls // bare_calls) == 0:
                        bare.append(_timed(lambda code=code: _bare(code))[0])
                report[label] = {
                    "jail": _figures(jailed),
                    "bare_python": _figures(bare),
                    "bare_over_jail": round(_figures(bare)["median_ms"] / _figures(jailed)["median_ms"], 2),
                }
        finally:
            jail.close()
    return report


def main() -> None:
    """Measure and print, as text and as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sandbox", default="auto")
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--bare-calls", type=int, default=20)
    options = parser.parse_args()
    report = measure(options.sandbox, options.calls, options.bare_calls)
    print(f"jail {report['jail']}, first call {report['cold_start_ms']} ms")
    for label in ("trivial", "pandas"):
        row = report[label]
        print(
            f"{label:<8} warm call {row['jail']['median_ms']:>7} ms (p95 {row['jail']['p95_ms']}),"
            f" fresh python {row['bare_python']['median_ms']:>7} ms (p95 {row['bare_python']['p95_ms']}),"
            f" {row['bare_over_jail']} times the jail's"
        )
    print(json.dumps(report))


if __name__ == "__main__":
    main()
