"""Programs in words: what the reader weighs beside the question, short, in lower case, always worded the same way."""

from __future__ import annotations

from averment.reading.rows.cell_links import CellLink, LinkedQuestion
from averment.reading.rows.cells import Raw
from averment.reading.rows.grid import CellColumn, CellGrid
from averment.reading.rows.program import Program, ProgramCandidate, RowTest

_MOST_COLUMNS = 14
_NAME_WORDS = 5
_CELL_WORDS = 4
_SHOWN = 3

_FORMS = {
    "show": "{0}",
    "line": "first line of {0}",
    "amount": "number in {0}",
    "count": "number of rows",
    "distinct": "number of different {0}",
    "sum": "total {0}",
    "avg": "average {0}",
    "range": "highest minus lowest {0}",
    "most": "most frequent {0}",
    "least": "least frequent {0}",
    "most summed": "{0} with highest total {1}",
    "least summed": "{0} with lowest total {1}",
    "difference": "difference in {0}",
    "count difference": "difference in number of rows",
    "column difference": "{0} minus {2}",
    "same": "other {0} with same {2}",
    "same count": "number of other {0} with same {2}",
    "groups": "{0} listed at least {3} times",
    "verdict": "{4}",
    "group count": "number of {0} listed at least {3} times",
}
_PICKS = {
    "all": "",
    "max": "with highest {0}",
    "min": "with lowest {0}",
    "first": "of first row",
    "last": "of last row",
    "next": "of next row",
    "previous": "of previous row",
    "nth": "of row {1}",
}
_LINKS = {"exact": "is", "core": "is", "part": "contains", "number": "equals", "kin": "like"}
_PARTS = {"month": "month of", "tail": "end of", "head": "begin of", "inside": "bracket of"}
_VIEWS = {
    "margin": "gap in ",
    "both": "sum in ",
    "year": "year of ",
    "seconds": "time of ",
    "second": "second number of ",
}


def context_words(asked: LinkedQuestion) -> str:
    """The columns of the table, each with a cell of it: one the question names, or the first."""
    linked: dict[int, int] = {}
    for link in asked.cells:
        if link.kind != "kin":
            linked.setdefault(link.column, min(link.rows))
    parts: list[str] = []
    for column in [known for known in asked.grid.columns if known.part is None][:_MOST_COLUMNS]:
        row = linked.get(column.place)
        if row is None:
            row = next((place for place, cell in enumerate(column.cells) if not cell.is_empty), 0)
        parts.append(f"{_name(column)}: {_cell(column.cells[row].raw)}")
    return f"{' | '.join(parts)} | {asked.grid.size} rows"


def program_words(candidate: ProgramCandidate, asked: LinkedQuestion) -> str:
    """A candidate's program and its answer in words."""
    grid, program = asked.grid, candidate.program
    parts = [_form(program, grid)]
    picked = _PICKS[program.pick].format(_named(grid, program.key, program.key_view), program.number or "")
    if picked:
        parts.append(picked)
    if program.pair is not None:
        parts.append(f"between {_test(program.pair[0], asked)} and {_test(program.pair[1], asked)}")
    if program.tests:
        parts.append(f"where {' and '.join(_test(test, asked) for test in program.tests)}")
    return f"{' '.join(parts)} = {_answer(candidate)}"


def _form(program: Program, grid: CellGrid) -> str:
    return _FORMS[program.form].format(
        _named(grid, program.column, program.view),
        _named(grid, program.key, program.key_view),
        _named(grid, program.other, program.other_view),
        program.number or 2,
        _verdict(program, grid),
    )


def _verdict(program: Program, grid: CellGrid) -> str:
    verdict = program.verdict
    if verdict is None:
        return ""
    what = {"place": "place", "rows": "number of rows", "value": _named(grid, program.column, program.view)}
    beside = _named(grid, program.other, program.other_view) or "other"
    beyond = beside if verdict.bound is None else _number(verdict.bound)
    return f"{verdict.said[0]} if {what[verdict.measure]} {_BEYOND[verdict.operator]} {beyond}"


def _answer(candidate: ProgramCandidate) -> str:
    said = ", ".join(_cell(value) for value in candidate.answer[:_SHOWN])
    more = f" and more, {len(candidate.answer)} in all" if len(candidate.answer) > _SHOWN else ""
    rows = len(candidate.rows)
    return f"{said}{more} ({rows} rows)" if rows != 1 else f"{said}{more}"


def _test(test: RowTest, asked: LinkedQuestion) -> str:
    column = asked.grid.columns[test.column]
    name = _named(asked.grid, test.column, test.view)
    match test.kind:
        case "blank":
            return f"{name} is empty"
        case "filled":
            return f"{name} is filled"
        case "between":
            return f"{name} from {_number(test.bounds[0])} to {_number(test.bounds[1])}"
        case ">" | ">=" | "<" | "<=":
            bound = _link(test.links[0], column, asked) if test.links else _number(test.bounds[0])
            return f"{name} {_BEYOND[test.kind]} {bound}"
        case _:
            held = " or ".join(_link(link, column, asked) for link in test.links[:_SHOWN])
            said = f"{name} {_LINKS[test.links[0].kind]} {held}"
            before = {"not in": "not ", "after": "rows after ", "before": "rows before "}.get(test.kind, "")
            return f"{before}{said}"


_BEYOND = {"=": "same as", ">": "more than", ">=": "at least", "<": "less than", "<=": "at most"}


def _link(link: CellLink, column: CellColumn, asked: LinkedQuestion) -> str:
    marks = {column.marks[row] for row in link.rows}
    if len(marks) == 1 and link.column == column.place:
        return _cell(next(iter(marks)))
    return " ".join(asked.words[link.first : link.last])


def _named(grid: CellGrid, place: int | None, view: str | None) -> str:
    if place is None:
        return ""
    return f"{_VIEWS.get(view or '', '')}{_name(grid.columns[place])}"


def _name(column: CellColumn) -> str:
    name = " ".join(column.words[:_NAME_WORDS]) or "nameless"
    return f"{_PARTS[column.part]} {name}" if column.part else name


def _cell(value: Raw) -> str:
    words = str(value).replace("\n", " ").split() if value is not None else ["nothing"]
    return " ".join(words[:_CELL_WORDS])[:40].lower()


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() else str(value)
