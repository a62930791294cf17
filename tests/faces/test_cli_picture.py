"""Charts in terminals that can show them, in the words of their own protocol and nowhere else."""

import base64
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from averment.faces.cli.picture import CHUNK, picture, shows_pictures

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40


@pytest.mark.parametrize(
    ("environment", "protocol"),
    [
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"KITTY_WINDOW_ID": "1", "TERM": "xterm"}, "kitty"),
        ({"TERM_PROGRAM": "iTerm.app"}, "iterm"),
        ({"TERM_PROGRAM": "WezTerm"}, "iterm"),
        ({"TERM": "xterm-256color"}, None),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/tmux"}, None),
        ({"TERM": "xterm-kitty", "NO_COLOR": "1"}, None),
    ],
)
def test_only_a_terminal_that_says_so_gets_a_picture(environment: dict[str, str], protocol: str | None) -> None:
    assert shows_pictures(environment, is_terminal=True) == protocol
    assert shows_pictures(environment, is_terminal=False) is None


def test_every_byte_of_the_picture_arrives_in_either_protocol() -> None:
    pieces = [piece for piece in picture(PNG, "kitty") if piece != "\n"]
    assert len(pieces) > 2 and all(len(piece) < CHUNK + 40 for piece in pieces)
    assert ["m=1" in piece for piece in pieces] == [True] * (len(pieces) - 1) + [False]
    assert base64.b64decode("".join(piece.split(";", 1)[1].removesuffix("\x1b\\") for piece in pieces)) == PNG
    (whole,) = picture(PNG, "iterm")
    assert base64.b64decode(whole.split(":", 1)[1].strip().removesuffix("\x07")) == PNG


def test_a_chart_is_drawn_into_a_real_terminal_and_not_into_a_file(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("region,amount\nNorth,1\nSouth,2\nEast,4\nWest,3\n", encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "averment",
        "analyze",
        "total amount by region",
        "--source",
        "sales.csv",
        "--quiet",
    ]
    kitty = os.environ | {"TERM": "xterm-kitty", "COLUMNS": "100"}
    kitty.pop("TMUX", None)
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, cwd=tmp_path, env=kitty, stdout=theirs, stderr=subprocess.DEVNULL) as running:
        os.close(theirs)
        heard = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            heard += piece
    os.close(ours)
    assert running.returncode == 0 and b"\x1b_Ga=T,f=100," in heard and b"iVBORw0KGgo" in heard
    quiet = subprocess.run(command, cwd=tmp_path, env=kitty, capture_output=True, check=True)
    assert b"\x1b_G" not in quiet.stdout
