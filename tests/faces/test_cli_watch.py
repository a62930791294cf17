"""``averment watch``: what is outside its expected range goes to the mail relay once it was drilled into."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from datetime import date, timedelta
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow]


class Relay:
    """A mail relay that takes one message and keeps what it was told."""

    def __init__(self) -> None:
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = self._door.getsockname()[1]
        self.lines: list[str] = []
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        caller, _ = self._door.accept()
        with caller, caller.makefile("rw", newline="\r\n") as talk:
            talk.write("220 ready\r\n")
            talk.flush()
            in_message = False
            for raw in talk:
                line = raw.rstrip("\r\n")
                self.lines.append(line)
                if in_message and line != ".":
                    continue
                in_message = line.upper() == "DATA"
                talk.write("354 go on\r\n" if in_message else "221 bye\r\n" if line.lower() == "quit" else "250 ok\r\n")
                talk.flush()
                if line.lower() == "quit":
                    return


def write_orders(path: Path) -> None:
    """Half a year of orders whose last week falls to a third."""
    lines = ["day,shop,amount"]
    for number in range(182):
        day = date(2024, 1, 1) + timedelta(days=number)
        for order in range(12):
            amount = (20 + (number * 7 + order * 5) % 11) * (0.3 if number >= 175 else 1.0)
            lines.append(f"{day},{'north' if order % 2 else 'south'},{amount:.2f}")
    path.write_text("\n".join(lines) + "\n")


def test_a_metric_outside_its_range_is_mailed(tmp_path: Path) -> None:
    relay = Relay()
    write_orders(tmp_path / "orders.csv")
    (tmp_path / "metrics.toml").write_text(
        '[[metric]]\nname = "Revenue"\nfiles = ["orders.csv"]\nsql = "SUM(amount)"\nevery = "week"\n'
        f'[notify]\nmail = "team@example.org"\nrelay = "127.0.0.1:{relay.port}"\n'
    )
    words = ["--home", str(tmp_path / "home"), "watch", str(tmp_path / "metrics.toml")]
    told = subprocess.run(
        [sys.executable, "-m", "averment", *words], capture_output=True, text=True, timeout=120, check=False
    )
    assert told.returncode == 0, told.stderr
    relay.thread.join(timeout=10)
    sent = "\n".join(relay.lines)
    assert "rcpt to:<team@example.org>" in sent.lower()
    assert "Subject: Outside the expected range: Revenue" in sent
    assert "outside the expected range" in sent


@pytest.mark.thorough
def test_a_relay_that_is_not_there_is_said_and_ends_nothing(tmp_path: Path) -> None:
    write_orders(tmp_path / "orders.csv")
    (tmp_path / "metrics.toml").write_text(
        '[[metric]]\nname = "Revenue"\nfiles = ["orders.csv"]\nsql = "SUM(amount)"\nevery = "week"\n'
        '[notify]\nmail = "team@example.org"\nrelay = "127.0.0.1:9"\n'
    )
    words = ["--home", str(tmp_path / "home"), "watch", str(tmp_path / "metrics.toml")]
    told = subprocess.run(
        [sys.executable, "-m", "averment", *words], capture_output=True, text=True, timeout=120, check=False
    )
    assert told.returncode == 0, told.stderr
    assert "The mail was not sent" in told.stdout


@pytest.mark.thorough
def test_a_look_that_was_cut_off_is_the_same_run_and_is_told_once(tmp_path: Path) -> None:
    relay = Relay()
    write_orders(tmp_path / "orders.csv")
    (tmp_path / "metrics.toml").write_text(
        '[[metric]]\nname = "Revenue"\nfiles = ["orders.csv"]\nsql = "SUM(amount)"\nunit = "EUR"\nevery = "week"\n'
        f'[notify]\nmail = "team@example.org"\nrelay = "127.0.0.1:{relay.port}"\n'
    )
    words = ["--home", str(tmp_path / "home"), "watch", str(tmp_path / "metrics.toml")]
    history = tmp_path / "home" / "watch" / "metrics.jsonl"
    told: list[str] = []
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "-m", "averment", *words], capture_output=True, text=True, timeout=240, check=False
        )
        assert run.returncode == 0, run.stderr
        told.append(run.stdout)
        # As after a crash between the drill and its line: what was sent is known, what was found is not.
        kept = [line for line in history.read_text().splitlines() if '"sent"' in line]
        history.write_text("\n".join(kept) + '\n{"answer": "cut o')
    assert "Revenue (EUR) fell" in told[0]
    assert told[0] == told[1]
    relay.thread.join(timeout=10)
    assert "\n".join(relay.lines).count("Subject:") == 1
