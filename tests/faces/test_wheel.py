"""The built wheel outside the checkout: no PyTorch, and it says what it lacks and runs in notebooks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from lazily import lazily

nbclient = lazily("nbclient")

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).with_name("uv")
HEAVY = {"torch", "sentence_transformers", "transformers", "scipy", "sklearn", "onnxruntime", "pandas", "vl_convert"}
MOST_BYTES = 450_000_000


PAGE = """
import json, socket, threading, urllib.request
import uvicorn
from averment.faces.http.app import create_app
from averment.workbench import Workbench

workbench = Workbench()
run = workbench.analyze("total amount by region", ["sales.csv"])
listener = socket.create_server(("127.0.0.1", 0))
server = uvicorn.Server(uvicorn.Config(create_app(workbench, token="t" * 20), log_level="critical"))
thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
thread.start()
told = []
for path in (f"/runs/{run.id}", "/drill", "/settings"):
    url = f"http://127.0.0.1:{listener.getsockname()[1]}{path}"
    headers = {"Authorization": "Bearer " + "t" * 20, "Accept": "text/html"}
    told.append(urllib.request.urlopen(urllib.request.Request(url, headers=headers)).read().decode())
print(json.dumps(told))
server.should_exit = True
thread.join()
workbench.close()
"""


def _run(*command: object, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **more}
    environment.pop("PYTHONPATH", None)
    return subprocess.run([str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment that holds the wheel and what it asks for, and a folder to work in."""
    if not UV.exists():
        pytest.skip("uv is not in this environment, so no wheel can be built")
    folder = tmp_path_factory.mktemp("wheel")
    built = _run(UV, "build", "--wheel", "--quiet", "--out-dir", folder / "dist", ROOT, cwd=folder)
    assert built.returncode == 0, built.stderr
    assert _run(sys.executable, "-m", "venv", folder / "venv", cwd=folder).returncode == 0
    wheel = next((folder / "dist").glob("*.whl"))
    python = folder / "venv" / "bin" / "python"
    pins = ["--constraint", ROOT / "requirements-test.lock"]
    added = _run(UV, "pip", "install", "--quiet", "--python", python, *pins, wheel, cwd=folder)
    assert added.returncode == 0, added.stderr
    shutil.copy(ROOT / "examples" / "sales.csv", folder / "sales.csv")
    return folder


def test_the_core_is_small_and_nothing_heavy_is_in_it(bare: Path) -> None:
    packages = next((bare / "venv" / "lib").glob("python*/site-packages"))
    assert not HEAVY & {place.name for place in packages.iterdir()}
    installed = [each for each in packages.rglob("*") if each.is_file() and "__pycache__" not in each.parts]
    ours = sum(each.stat().st_size for each in installed if not each.is_relative_to(packages / "pip"))
    print(f"the core takes {ours / 1e6:.0f} MB")
    assert ours <= MOST_BYTES


@pytest.mark.parametrize(
    ("code", "extra"),
    [
        ("from averment.charts.draw import to_png; to_png({})", "charts"),
        ("from averment.agents.driller.scripts import script; script('sum', 'x', {})", "drill"),
        ("import averment as av; av.ask('sales.csv', 'total amount').df", "notebook"),
        (
            "from averment.tables.engines.extensions import extension_file; extension_file('sqlite_scanner', 'v1')",
            "sqlite",
        ),
    ],
)
def test_what_is_not_in_the_core_says_how_to_get_it(bare: Path, code: str, extra: str) -> None:
    done = _run(bare / "venv" / "bin" / "python", "-c", code, cwd=bare)
    assert "MissingExtra" in done.stderr, done.stderr
    told = f"from averment.errors import MissingExtra\ntry: exec({code!r})\nexcept MissingExtra as e: print(e.hint)"
    assert f'pip install "averment[{extra}]"' in _run(bare / "venv" / "bin" / "python", "-c", told, cwd=bare).stdout


def test_the_page_works_there_and_says_how_to_get_charts(bare: Path) -> None:
    (bare / "page.py").write_text(PAGE)
    done = _run(bare / "venv" / "bin" / "python", "page.py", cwd=bare)
    assert done.returncode == 0, done.stderr
    card, drills, settings = json.loads(done.stdout)
    assert "total amount" in card and "averment[charts]" in card and "<figure" not in card
    assert "averment[drill]" in drills and "New drill" not in drills
    assert "averment[charts]" in settings


def test_what_needs_an_extra_names_it(bare: Path) -> None:
    code = "from averment.agents.analyst.programs.bundle import code_for; code_for({})"
    done = _run(bare / "venv" / "bin" / "python", "-c", code, cwd=bare)
    assert "MissingExtra" in done.stderr
    told = "from averment.errors.extras import missing; print(missing('scipy', 'statistics').hint)"
    assert 'pip install "averment[statistics]"' in _run(bare / "venv" / "bin" / "python", "-c", told, cwd=bare).stdout


def test_a_notebook_runs_there_with_pandas_and_polars(bare: Path) -> None:
    pins = ["--constraint", ROOT / "requirements-test.lock"]
    more = ["ipykernel", "polars", "pandas"]
    python = bare / "venv" / "bin" / "python"
    added = _run(UV, "pip", "install", "--quiet", "--python", python, *pins, *more, cwd=bare)
    assert added.returncode == 0, added.stderr
    cells = [
        "import averment as av, pandas as pd, polars as pl, sys",
        "df = pd.DataFrame({'day': ['Sat', 'Sun'] * 20, 'tip': [1.0, 3.0] * 20})\nav.ask(df, 'average tip by day')",
        "av.ask(pl.from_pandas(df), 'total tip')",
        "assert 'torch' not in sys.modules and '/venv/' in av.__file__",
    ]
    kernel = bare / "venv" / "share" / "jupyter" / "kernels" / "bare"
    kernel.mkdir(parents=True, exist_ok=True)
    start = [str(bare / "venv" / "bin" / "python"), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (kernel / "kernel.json").write_text(json.dumps({"argv": start, "display_name": "bare", "language": "python"}))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    os.environ["JUPYTER_PATH"] = str(bare / "venv" / "share" / "jupyter")
    try:
        client = nbclient.NotebookClient(
            notebook, timeout=180, kernel_name="bare", resources={"metadata": {"path": str(bare)}}
        )
        client.execute()
    finally:
        del os.environ["JUPYTER_PATH"]
    assert "text/html" in str(notebook.cells[1]["outputs"])
    assert "80" in str(notebook.cells[2]["outputs"])
