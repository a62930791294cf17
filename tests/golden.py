"""The golden home: six finished runs over small data, made once for all tests and lent to each as a copy of its own.

A test that needs *a finished run*, and not the running of one, takes a copy (0.1 s) in place of a run (2 to 5 s).
The home is made by public faces alone, without a language model. It holds, by these names in ``Golden.runs``:

============  ==========================================================================================
``analysis``  "total amount by region" of orders.csv, with all that it can leave: report, chart, table
``dataset``   "average amount by product" of the kept dataset ``orders`` (its column ``amount`` is in EUR)
``offer``     "which region is best?": not answered, four readings are offered
``drill``     why the total amount fell from January to February, in a session with a mirror of its files
``research``  "When was the lamp factory in Linz founded?" over two documents that disagree
``chat``      "show me the total amount by product", asked of the assistant in the conversation ``talk``
============  ==========================================================================================

In ``talk`` the assistant has also made the task "buy lamp oil" and asks whether to delete it; nobody has answered.

The data. ``orders.csv``: two orders (Lamp, Desk) a day in West and in East over January and 25 days of February 2024;
East stays as it was, in West amounts fall to a quarter in February. ``texts``: a company's page and the city's archive,
which name different years. They lie beside the golden home, where every copy finds them in their place: nobody changes
them. Who wants to change a source takes ``GoldenHome.own_orders()`` and gives it to verify as the source.

With xdist the first worker that asks builds the home under a lock; the others wait and copy.
"""

from __future__ import annotations

import fcntl
import gc
import io
import json
import os
import shutil
import socket
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx2

from averment import Workbench
from averment.settings import Settings

DAYS = [f"2024-{1 + day // 31:02d}-{1 + day % 31:02d}" for day in range(56)]


def _cents(number: int, day: str, region: str) -> str:
    share = 3 if region == "East" else 1 if day >= "2024-02" else 4
    return f"{(7 + number % 5) * share}.25"


ORDERS = "order_date,region,product,pieces,amount\n" + "".join(
    f"{day},{region},{product},{1 + number % 3},{_cents(number, day, region)}\n"
    for number, day in enumerate(DAYS)
    for region in ("West", "East")
    for product in ("Lamp", "Desk")
)
TEXTS = {
    "lamps.md": "# Lamps\n\nThe lamp factory in Linz was founded in 1921. It employs 240 people.\n",
    "archive.md": "# City archive\n\nAccording to the archive, the lamp factory in Linz was founded in 1924.\n",
}
PERIODS = {
    "baseline_period": {"start": "2024-01-01", "end": "2024-01-25"},
    "comparison_period": {"start": "2024-02-01", "end": "2024-02-25"},
}
TALK = "talk"
TASK = "buy lamp oil"
TOKEN = "the-token-of-the-tests"
_MADE = "golden.json"


@dataclass(frozen=True)
class Golden:
    """Where the golden home is, and what is in it."""

    folder: str
    runs: dict[str, str]
    session: str
    key: str
    """The public key of its ledger."""

    @property
    def home(self) -> Path:
        return Path(self.folder) / "home"

    @property
    def orders(self) -> Path:
        """The table that was asked; nobody changes it."""
        return Path(self.folder) / "sources" / "orders.csv"

    @property
    def texts(self) -> Path:
        return Path(self.folder) / "sources" / "texts"


@dataclass(frozen=True)
class Ended:
    """A command that has ended: its exit code, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on its standard output."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Server:
    """A server on loopback: its address, a client that has the token, and the workbench it serves."""

    url: str
    client: httpx2.Client
    workbench: Workbench

    def client_of(self, token: str) -> httpx2.Client:
        """A client of somebody else, to be closed by who asked for it."""
        return httpx2.Client(base_url=self.url, headers={"Authorization": f"Bearer {token}"}, timeout=60)


@dataclass(frozen=True)
class GoldenHome:
    """A copy of the golden home that belongs to one test."""

    golden: Golden
    home: Path

    @property
    def runs(self) -> dict[str, str]:
        return self.golden.runs

    def settings(self, **more: Any) -> Settings:
        return Settings(home=self.home, model_provider="none", **more)

    def open(self, **more: Any) -> Workbench:
        """The home as a workbench; who opens it closes it."""
        return Workbench(settings=self.settings(**more))

    def own_orders(self) -> Path:
        """The table once more, for a test that changes it; verify takes it as the source of that name."""
        return Path(shutil.copy(self.golden.orders, self.home.parent / "orders.csv"))

    def cli(self, *arguments: object) -> Ended:
        """The command line over this home, in this process."""
        return command("--home", self.home, *arguments)

    @contextmanager
    def serve(self) -> Generator[Server]:
        """The home over HTTP and MCP on loopback."""
        with self.open() as workbench, served(workbench) as server:
            yield server


def command(*arguments: object, lines: str = "") -> Ended:
    """``averment ARGUMENTS`` from its entry point, in this process: starting Python would take most of the time.

    Nobody is there to answer: standard input holds ``lines`` and no more.
    """
    from averment.faces.cli import main

    out, err, code = io.StringIO(), io.StringIO(), 0
    thresholds = gc.get_threshold()
    given = ["averment", *map(str, arguments)]
    surroundings = {"AVERMENT_MODEL_PROVIDER": "none", "AVERMENT_DEBUG": ""}
    try:
        with patch.object(sys, "argv", given), patch.dict(os.environ, surroundings):
            with patch.object(sys, "stdin", io.StringIO(lines)), redirect_stdout(out), redirect_stderr(err):
                main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        gc.set_threshold(*thresholds)
    return Ended(code, out.getvalue(), err.getvalue())


@contextmanager
def served(workbench: Workbench) -> Generator[Server]:
    """A workbench behind the application that ``averment serve`` serves."""
    import uvicorn

    from averment.faces.http.app import create_app

    listener = socket.create_server(("127.0.0.1", 0))
    app = create_app(workbench, token=TOKEN)
    config = uvicorn.Config(app, http="h11", ws="none", log_level="critical", timeout_graceful_shutdown=2)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        with httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60) as client:
            yield Server(url, client, workbench)
    finally:
        server.should_exit = True
        thread.join()


def golden_in(shared: Path) -> Golden:
    """The golden home of a folder that all workers share; the first who asks builds it."""
    shared.mkdir(parents=True, exist_ok=True)
    folder = shared / "golden"
    with (shared / "golden.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / _MADE).exists():
            shutil.rmtree(folder, ignore_errors=True)  # What a worker left that was ended while it built.
            _build(folder)
        return Golden(**json.loads((folder / _MADE).read_text(encoding="utf-8")))


def copy_of(golden: Golden, folder: Path) -> GoldenHome:
    """A copy of the home in a folder. The sentence model's graph is never written to, so a second name will do."""
    home = folder / "home"
    shutil.copytree(golden.home, home, copy_function=_copy)
    return GoldenHome(golden, home)


def _copy(source: str, target: str) -> None:
    if source.endswith(".onnx"):
        os.link(source, target)
    else:
        shutil.copy2(source, target)


def _build(folder: Path) -> None:
    texts = folder / "sources" / "texts"
    texts.mkdir(parents=True)
    orders = folder / "sources" / "orders.csv"
    orders.write_text(ORDERS, encoding="utf-8")
    for name, text in TEXTS.items():
        (texts / name).write_text(text, encoding="utf-8")
    runs: dict[str, str] = {}
    with Workbench(settings=Settings(home=folder / "home", model_provider="none")) as workbench:
        runs["analysis"] = workbench.analyze("total amount by region", [orders]).id
        runs["offer"] = workbench.analyze("which region is best?", [orders]).id
        workbench.datasets.add([orders], name="orders", description="Lamps and desks ordered in early 2024.")
        workbench.datasets.describe_column("orders", "amount", unit="EUR")
        runs["dataset"] = workbench.analyze("average amount by product", "dataset:orders").id
        runs["research"] = workbench.research("When was the lamp factory in Linz founded?", corpus=[texts]).id
        session, runs["drill"] = _drilled(workbench, orders)
        runs["chat"] = _talked(workbench, orders)
        ended = {name: workbench.show(run_id).status for name, run_id in runs.items()}
        key = workbench.ledger.public_key()
    wanted = dict.fromkeys(runs, "completed") | {"offer": "clarification_needed"}
    assert ended == wanted, f"the golden home was built otherwise than it is described: {ended}"
    made = Golden(str(folder), runs, session, key)
    (folder / _MADE).write_text(json.dumps(asdict(made)), encoding="utf-8")


def _drilled(workbench: Workbench, orders: Path) -> tuple[str, str]:
    sessions = workbench.sessions
    session = sessions.create().session_id
    with orders.open("rb") as stream:
        sessions.add_file(session, stream, orders.name)
    drill = sessions.start(session, {"metric_sql": "SUM(amount)", **PERIODS})
    workbench.runs.wait(drill)
    sessions.mirror(drill)
    return session, drill


def _talked(workbench: Workbench, orders: Path) -> str:
    """The run of a chat that made a task, asked a question of the table, and waits for a yes."""
    before = {run.id for run in workbench.runs.list(limit=100)}
    workbench.chat(f"remind me to {TASK}", conversation_id=TALK)
    workbench.chat("show me the total amount by product", conversation_id=TALK, files=[orders])
    (asked,) = {run.id for run in workbench.runs.list(limit=100)} - before
    waits = workbench.chat(f"delete {TASK}", conversation_id=TALK)
    assert waits.status == "confirmation_required", waits
    return asked
