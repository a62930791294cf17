from __future__ import annotations

import ast

import pytest

from averment.sandbox.guest.alias import rename_folders

FOLDERS = {"in": "/jobs/1/in", "out": "/jobs/1/out", "tmp": "/jobs/1/tmp"}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("open('/in/data.csv')", "open('/jobs/1/in/data.csv')"),
        ("os.makedirs('/out')", "os.makedirs('/jobs/1/out')"),
        ("f'/out/{name}.csv'", "f'/jobs/1/out/{name}.csv'"),
        ("p = '/tmp/x'", "p = '/jobs/1/tmp/x'"),
        ("q = \"select * from '/in/a.csv'\"", "q = \"select * from '/jobs/1/in/a.csv'\""),
        ("'/inner/x', '/output', 'x/in/y', 'in/out', '/In/x'", "('/inner/x', '/output', 'x/in/y', 'in/out', '/In/x')"),
        ("b'/in/x'", "b'/in/x'"),
    ],
)
def test_literal_folders_are_renamed_and_nothing_else(code: str, expected: str) -> None:
    assert ast.unparse(rename_folders(ast.parse(code), FOLDERS)) == expected


def test_lines_stay_where_they_were() -> None:
    tree = rename_folders(ast.parse("x = 1\n\nopen('/in/a')\n"), FOLDERS)
    assert tree.body[1].lineno == 3
