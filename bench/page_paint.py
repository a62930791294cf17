"""How fast the pages are there: first paint of home and of a finished run, by the browser's own paint timing.

    python bench/page_paint.py [--visits 7] [--out paint.json]

A server with a home of its own is started on loopback, a table of twenty thousand rows is asked about, and each page is
opened in Chromium again and again: with an empty cache, as at the first visit. Printed are the median and the slowest
first paint, first contentful paint and largest contentful paint, the time to the server's last byte, and the size of
our own scripts, of the pages and of the reports together. The limits are 300 ms for home and 1 s for a finished run;
the exit code is 1 when one is missed.

Measures a part: averment.faces.
"""

from __future__ import annotations

import argparse
import json
import shutil
import socket
import statistics
import sys
import tempfile
import threading
from importlib import resources
from pathlib import Path
from typing import Any

import uvicorn

from averment.faces.http.app import create_app
from averment.settings import Settings
from averment.workbench import Workbench

TOKEN = "the-token-of-the-bench"
ROWS = 20_000
LIMITS = {"home": 300.0, "run": 1_000.0}
MOST_SCRIPT_BYTES = 80_000
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
TIMING = """() => new Promise((done) => {
  const paints = Object.fromEntries(performance.getEntriesByType("paint").map((one) => [one.name, one.startTime]));
  const whole = performance.getEntriesByType("navigation")[0].responseEnd;
  let largest = 0;
  new PerformanceObserver((list) => { for (const one of list.getEntries()) largest = one.startTime; })
    .observe({ type: "largest-contentful-paint", buffered: true });
  setTimeout(() => done({ ...paints, "largest-contentful-paint": largest, "last byte": whole }), 50);
})"""


def main() -> int:
    """Measure, print, and say by the exit code whether the limits are kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visits", type=int, default=7)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="averment-bench-") as folder:
        told = measure(Path(folder), given.visits)
    print(f"{'page':6} {'measure':26} {'median ms':>10} {'slowest ms':>11}")
    for page, measures in told["pages"].items():
        for name, values in measures.items():
            print(f"{page:6} {name:26} {statistics.median(values):10.0f} {max(values):11.0f}")
    print(f"our scripts: {told['script_bytes']:,} bytes unminified, of {MOST_SCRIPT_BYTES:,}")
    missed = [page for page, limit in LIMITS.items() if statistics.median(told["pages"][page]["first-paint"]) > limit]
    for page in missed:
        print(f"{page}: first paint is over {LIMITS[page]:.0f} ms", file=sys.stderr)
    if given.out:
        given.out.write_text(json.dumps(told, indent=1))
    return 1 if missed or told["script_bytes"] > MOST_SCRIPT_BYTES else 0


def measure(folder: Path, visits: int) -> dict[str, Any]:
    """The paint timing of each visit, and the size of our scripts."""
    workbench = Workbench(settings=Settings(home=folder / "home"))
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    app = create_app(workbench, token=TOKEN)
    server = uvicorn.Server(uvicorn.Config(app, http="h11", ws="none", log_level="critical"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        run = workbench.analyze("total amount by region", [_orders(folder)])
        pages = _visit(url, {"home": "/home", "run": f"/runs/{run.id}"}, visits)
    finally:
        server.should_exit = True
        thread.join()
        workbench.close()
    package = resources.files("averment")
    places = (package.joinpath("faces", "web", "static"), package.joinpath("reports"))
    files = (file for place in places for file in place.iterdir())
    scripts = sum(len(file.read_bytes()) for file in files if file.name.endswith(".js"))
    return {"pages": pages, "script_bytes": scripts}


def _orders(folder: Path) -> Path:
    place = folder / "orders.csv"
    regions = ("West", "East", "North", "South")
    lines = (f"{regions[n % 4]},2024-{n % 12 + 1:02d}-11,{n % 997}.25" for n in range(ROWS))
    place.write_text("region,day,amount\n" + "\n".join(lines) + "\n")
    return place


def _visit(url: str, pages: dict[str, str], visits: int) -> dict[str, dict[str, list[float]]]:
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("chromium-browser")
    told: dict[str, dict[str, list[float]]] = {name: {} for name in pages}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        for visit in range(visits + 1):
            for name, address in pages.items():
                # A context of its own has nothing in its cache.
                context = browser.new_context(viewport={"width": 1280, "height": 900})
                page = context.new_page()
                page.goto(f"{url}/login?token={TOKEN}&next=/nothing")
                page.goto(url + address)
                timing = page.evaluate(TIMING)
                context.close()
                if visit == 0:
                    continue  # The first visit of all warms the server, not the page.
                for measure_name, value in timing.items():
                    told[name].setdefault(measure_name, []).append(float(value))
        browser.close()
    return told


if __name__ == "__main__":
    raise SystemExit(main())
