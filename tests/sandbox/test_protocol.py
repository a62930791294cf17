from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from averment.sandbox.names import is_plain_name
from averment.sandbox.protocol import Job


@pytest.mark.seed("A-100")
@pytest.mark.parametrize("seconds", [0, -1, 180.5, float("nan")])
def test_a_job_outside_the_time_limit_is_refused(seconds: float) -> None:
    with pytest.raises(ValidationError):
        Job(code="pass", timeout_seconds=seconds)


@pytest.mark.parametrize(
    "name",
    [
        "../x",
        "a/b",
        ".hidden",
        "-rf",
        "",
        " x",
        "x ",
        "a\nb",
        "\x1b[31m.csv",
        "a\\b",
        "\u202etxt.csv",
        "x" * 200,
        "a:b",
        "..",
    ],
)
def test_an_input_with_an_odd_name_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        Job(code="pass", inputs={name: Path("x")})


@pytest.mark.parametrize("name", ["data.csv", "Umsätze 2024.csv", "数据.parquet", "a-b_(1).json"])
def test_a_plain_name_passes(name: str) -> None:
    assert is_plain_name(name)


@given(st.text(max_size=20))
def test_a_plain_name_never_leaves_its_folder(name: str) -> None:
    if is_plain_name(name):
        assert Path("/folder", name).resolve().parent == Path("/folder")
        assert name.isprintable()
