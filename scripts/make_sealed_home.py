"""Makes the sealed home of a release, which the tests keep: ``python scripts/make_sealed_home.py``.

It holds one run of each kind over small data: three analyses, one that asked back, a drill-down and a research. The
signing key is left out, since to verify is to read. A home is made once, when its version is released, and never again.
"""

from __future__ import annotations

import shutil
import sqlite3
import sys
import tarfile
import tempfile
from pathlib import Path

from averment import Workbench
from averment.settings import Settings
from averment.version import VERSION

SEALED = Path(__file__).parents[1] / "tests" / "promises" / "sealed"
TOTALS = "dd1fcf99-981a-4168-a827-1d28f051af54"
"""The run that the tests change, the same in every home."""

LEFT_OUT = ("keys", "cache", "uploads")


def main() -> int:
    """Make the home of this version and pack it; one that is there already is not touched."""
    target = SEALED / f"v{VERSION.replace('.', '_')}.tar.xz"
    if target.exists():
        print(f"{target.name} is there already.")
        return 1
    with tempfile.TemporaryDirectory(prefix="sealed-") as place:
        folder = Path(place)
        with tarfile.open(sorted(SEALED.glob("*.tar.xz"))[0]) as earlier:
            for name in ("orders.csv", "texts"):
                earlier.extractall(folder, [m for m in earlier if m.name.split("/")[0] == name], filter="data")
        _ask(folder)
        for name in LEFT_OUT:
            shutil.rmtree(folder / "home" / name, ignore_errors=True)
        for database in (folder / "home" / "db").glob("*.db"):
            with sqlite3.connect(database) as connection:
                connection.execute("PRAGMA journal_mode = DELETE")
                connection.execute("VACUUM")
        with tarfile.open(target, "w:xz", preset=9) as packed:
            for name in ("home", "orders.csv", "texts"):
                packed.add(folder / name, name, filter=_nobodys)
    print(f"{target.name}: {target.stat().st_size:,} bytes")
    return 0


def _ask(folder: Path) -> None:
    orders = folder / "orders.csv"
    with Workbench(settings=Settings(home=folder / "home", model_provider="none")) as workbench:
        workbench.analyze("total amount by region in 2024", orders, run_id=TOTALS)
        workbench.analyze("average amount by month", orders, deliverables=("tables", "reports", "summary"))
        workbench.analyze("how many orders per product", orders, deliverables=("tables", "reports", "summary"))
        workbench.analyze("what about the swing of things", orders)
        workbench.drill(orders, metric_sql="SUM(amount)", baseline="2024-01", comparison="2024-02")
        workbench.research("When was the lamp factory in Linz founded?", corpus=[folder / "texts"])


def _nobodys(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """The file without who made it."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


if __name__ == "__main__":
    sys.exit(main())
