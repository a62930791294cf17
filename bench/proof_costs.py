"""What proof costs: the share of claims and document checker in a run's CPU, and the CPU of verify for each number.

    python bench/proof_costs.py [--rounds N]

All agents run through ``Workbench`` over a table of 40,000 rows and two texts. Time is CPU of this process and its
children; claims and checker are timed where they are called, nested calls once.

Measures a part: averment.agents and averment.claims.
"""

from __future__ import annotations

import argparse
import functools
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from averment import Run, Workbench
from averment.settings import Settings

QUESTIONS = ("total amount by channel", "which channel and device has the highest average amount", "amount by week")


def cpu_seconds() -> float:
    """CPU of this process and the children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


class Meter:
    """The CPU that was spent inside some functions of this process; what they call counts once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._inside = False

    def wrap(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, metered."""

        @functools.wraps(function)
        def metered(*given: Any, **named: Any) -> Any:
            if self._inside:
                return function(*given, **named)
            self._inside, began = True, time.thread_time()
            try:
                return function(*given, **named)
            finally:
                self._inside = False
                self.seconds += time.thread_time() - began

        return metered


@contextmanager
def metered(meter: Meter) -> Iterator[None]:
    """Meter every place where claims are made, bound or a document is walked."""
    from averment.agents.analyst import frames as analyst
    from averment.agents.analyst import plan_skill, report
    from averment.agents.analyst.telling import scene
    from averment.agents.driller import cause_claims, cells, findings
    from averment.agents.driller import conclude as driller
    from averment.agents.driller import report as drill_report
    from averment.agents.researcher import absent
    from averment.agents.researcher import conclude as researcher
    from averment.agents.researcher import report as research_report
    from averment.claims.frames import AllowedSentences

    places: list[tuple[Any, str]] = [
        *((module, "make") for module in (scene, cause_claims, driller, findings, absent, researcher)),
        *((module, "told") for module in (scene, cause_claims, cells, absent, researcher)),
        *((module, "finding_of") for module in (plan_skill, driller, findings, researcher)),
        *((module, "told_by") for module in (report, drill_report, research_report)),
        (analyst, "_allowed"),
        (AllowedSentences, "check"),
    ]
    kept = [(holder, name, getattr(holder, name)) for holder, name in places if hasattr(holder, name)]
    for holder, name, function in kept:
        setattr(holder, name, meter.wrap(function))
    try:
        yield
    finally:
        for holder, name, function in kept:
            setattr(holder, name, function)


def write_orders(path: Path) -> Path:
    """Eight weeks of orders; one channel has fewer in the second half."""
    lines = ["day,channel,device,amount"]
    for offset in range(56):
        day = date(2024, 1, 1) + timedelta(days=offset)
        for n, (channel, device) in enumerate((c, d) for c in ("app", "web", "shop") for d in ("phone", "desk")):
            fewer = offset >= 28 and channel == "app"
            lines += [f"{day},{channel},{device},{20 + (offset * 7 + n + k) % 9}" for k in range(40 if fewer else 130)]
    path.write_text("\n".join(lines) + "\n")
    return path


def write_texts(folder: Path) -> Path:
    """Two short texts that disagree."""
    folder.mkdir()
    for name, year in (("harbour", 1961), ("archive", 1964)):
        text = f"Lindholm Harbour was deepened in {year}. The engineer Anna Berg led the work on Lindholm Harbour."
        (folder / f"{name}.md").write_text(f"# The {name} of the port\n\n{text}\n")
    return folder


def acts(bench: Workbench, orders: Path, texts: Path) -> dict[str, Callable[[], list[Run]]]:
    """What each agent is asked."""
    spans = {"baseline": ("2024-01-01", "2024-01-28"), "comparison": ("2024-01-29", "2024-02-25")}
    return {
        "analyst": lambda: [bench.analyze(question, [orders]) for question in QUESTIONS],
        "driller": lambda: [bench.drill([orders], metric_sql="SUM(amount)", **spans)],
        "researcher": lambda: [bench.research("When was Lindholm Harbour deepened?", corpus=[texts], depth="quick")],
    }


def main() -> None:
    """Print both costs for each agent."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="averment-bench-") as folder:
        room = Path(folder)
        with Workbench(settings=Settings(home=room / "home", model_provider="none")) as bench:
            asked = acts(bench, write_orders(room / "orders.csv"), write_texts(room / "texts"))
            for name, act in asked.items():
                act()  # The first of each loads what all later ones use.
                meter, began, runs = Meter(), cpu_seconds(), list[Run]()
                with metered(meter):
                    for _ in range(rounds):
                        runs += act()
                spent = cpu_seconds() - began
                began = cpu_seconds()
                verdicts = [bench.verify(run.id) for run in runs]
                proving = cpu_seconds() - began
                numbers = sum(one.numbers_rederived for one in verdicts)
                assert all(one.ok for one in verdicts)
                share = f"claims and checker {meter.seconds / spent:.1%} of {spent / len(runs):.2f} s CPU a run"
                each = f"{1000 * proving / numbers:.2f} ms CPU a number ({numbers // len(runs)} a run)"
                print(f"{name}: {share}; verify {each}", flush=True)


if __name__ == "__main__":
    main()
