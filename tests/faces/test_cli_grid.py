"""Tables on the command line: aligned, folded to a terminal, and never cut."""

from __future__ import annotations

from averment.faces.cli.grid import grid_lines

ROWS = [["run", "n", "question"], ["0a1b2c3d-0000", "7", "total amount by region in 2024"], ["x", "1200", "why?"]]


def test_columns_are_aligned_and_numbers_stand_to_the_right():
    assert grid_lines(ROWS, [False, True], None) == [
        "run               n  question",
        "0a1b2c3d-0000     7  total amount by region in 2024",
        "x              1200  why?",
    ]


def test_on_a_narrow_terminal_cells_are_folded_and_nothing_is_lost():
    lines = grid_lines(ROWS, [False, True], 40)
    assert max(map(len, lines)) <= 40
    assert "".join(" ".join(lines).split()).count("2024") == 1
    for word in ("total", "amount", "by", "region", "in", "0a1b2c3d-0000"):
        assert any(word in line for line in lines)


def test_a_word_longer_than_its_column_is_broken():
    assert grid_lines([["a" * 20, "b" * 5]], [], 17) == ["a" * 10 + "  bbbbb", "a" * 10]


def test_wide_letters_count_twice_and_marks_not_at_all():
    lines = grid_lines([["日本", "x"], ["e\u0301", "y"]], [], None)
    assert lines == ["日本  x", "e\u0301     y"]


def test_a_row_without_cells_and_no_rows_at_all_are_no_error():
    assert grid_lines([], [], 80) == []
    assert grid_lines([["a"], [""]], [], 80) == ["a", ""]
