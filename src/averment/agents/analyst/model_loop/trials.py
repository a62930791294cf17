"""Programs and other tasks that a model writes: how they are tried, and what their results may hold.

What a trial leaves lies in a folder that is gone afterwards; its queries are noted as probes. A program gets its tables
as pandas frames under the names of its inputs and leaves ``result``: a frame, a dict of values, or one value. Nobody
can read off a program what its result is made of, so the result itself is held against the inputs: a text must stand in
a source, in a heading or in the question, a number must not stand in the program, and a program that gives the same
over empty tables has looked at none of them.
"""

from __future__ import annotations

import ast
import keyword
import re
import tempfile
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment.errors import InvalidArguments, PlanInvalid
from averment.records.run import ToolName
from averment.store.storage.local import FileStore
from averment.tools.result_store import ResultStore

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.runtime.run_context import RunContext


@dataclass(frozen=True, kw_only=True)
class TrialTask:
    """One task as it would be run: its name, its tool, its arguments, and the tasks it reads."""

    id: str
    tool: ToolName
    arguments: dict[str, Any]
    after: tuple[str, ...] = ()


class Trial:
    """Runs tasks one after the other over a result store of its own."""

    def __init__(self, work: RunContext, result_store: ResultStore) -> None:
        self._work = work
        self._result_store = result_store
        self.outputs: dict[str, dict[str, Any]] = {}

    def run(self, task: TrialTask) -> dict[str, Any]:
        """What a task gives, as its observation would hold it.

        Raises:
            AvermentError: it is refused or fails.
        """
        work = self._work
        work.cancel.check()
        registry = work.services.tools.registry
        arguments = registry.validate(task.tool, task.arguments)
        context = replace(
            work.tool_context(f"trial-{task.id}"), result_store=self._result_store, engine=work.queries.engine
        )
        output: dict[str, Any] = registry.get(task.tool).run(arguments, context).model_dump(mode="json")
        self._result_store.answer(task.id, f"trial-{task.id}")
        self.outputs[task.id] = output
        return output

    def run_all(self, tasks: Sequence[TrialTask]) -> None:
        """Run tasks in the order in which they need each other."""
        waiting = list(tasks)
        while waiting:
            ready = [task for task in waiting if set(task.after) <= set(self.outputs)]
            for task in ready:
                self.run(task)
            waiting = [task for task in waiting if task not in ready]

    def table(self, task_id: str) -> pa.Table:
        """The table a task left."""
        return self._result_store.by_task(task_id)

    def tables(self, task_ids: Iterable[str]) -> dict[str, pa.Table]:
        """The tables of those tasks that left one."""
        found: dict[str, pa.Table] = {}
        for task_id in task_ids:
            with suppress(InvalidArguments):
                found[task_id] = self.table(task_id)
        return found

    def keep(self, task_id: str, table: pa.Table) -> None:
        """Put a table where a later task finds it."""
        self._result_store.put(f"trial-{task_id}", table)
        self._result_store.answer(task_id, f"trial-{task_id}")
        self.outputs[task_id] = {}


@contextmanager
def trial(work: RunContext) -> Generator[Trial]:
    """A trial whose results are gone when it ends."""
    with tempfile.TemporaryDirectory(prefix="averment-trial-") as folder:
        yield Trial(work, ResultStore(FileStore(Path(folder)), "work"))


_BEFORE = """import pyarrow as _pa, pyarrow.ipc as _ipc, pandas as pd, numpy as np
def _load(name):
    with _ipc.open_file("/in/" + name + ".arrow") as reader:
        return reader.read_all().to_pandas()
"""
_AFTER = """
import pandas as _pd, numpy as _np, pyarrow as _pa
if isinstance(result, _pd.Series):
    result = result.reset_index()
if isinstance(result, dict):
    _plain = {str(k): (v.item() if isinstance(v, _np.generic) else v) for k, v in result.items()}
    result = _pd.DataFrame([_plain])
elif not isinstance(result, _pd.DataFrame):
    result = _pd.DataFrame([{"value": result.item() if isinstance(result, _np.generic) else result}])
result.columns = [" ".join(map(str, c)) if isinstance(c, tuple) else str(c) for c in result.columns]
_names = HEADINGS
if len(_names) == len(result.columns):
    result.columns = _names
_table = _pa.Table.from_pandas(result, preserve_index=False).replace_schema_metadata(None)
with _ipc.new_file("/out/result.arrow", _table.schema) as _writer:
    _writer.write_table(_table)
"""
SMALL = 12.0
"""Whole numbers up to this stand in many programs and say nothing by themselves."""

FREE_NUMBERS = frozenset(
    {0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.5, 24.0, 30.0, 60.0, 100.0, 365.0, 1000.0}
)
VERDICTS = frozenset(
    """
    yes no true false none normal significant positive negative linear nonlinear weak moderate strong equal increasing
    decreasing not left right skewed symmetric relationship correlation higher lower same
    """.split()
)
"""Words by which a statistic's outcome is named."""

_WORD = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?")
_STATISTICS = frozenset(
    """
    mean average median mode sum total count number rows min max minimum maximum lowest highest std stddev deviation
    standard variance quantile percentile quartile iqr range share percent percentage ratio rate difference
    change growth
    correlation coefficient r p value pvalue statistic t f chi square test slope intercept rmse mse mae score accuracy
    skewness kurtosis outlier outliers missing null rank cluster group by of and the before after index
    period month year
    week day quarter top first second third other all n z lower upper bound fence interval size
    """.split()
)


def whole_program(code: str, inputs: Sequence[str], headings: Sequence[str] = ()) -> str:
    """The code as it is run: its tables loaded before it, its result kept after it."""
    loads = "".join(f"{name} = _load({name!r})\n" for name in inputs)
    return f"{_BEFORE}{loads}{code}\n{_AFTER.replace('HEADINGS', repr(list(headings)))}"


def check_code(code: str, inputs: Iterable[str]) -> None:
    """Pass code that can be read and leaves a result.

    Raises:
        PlanInvalid: it cannot be parsed, or nothing is called ``result``.
    """
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        raise PlanInvalid(f"The code could not be parsed: {error.msg} in line {error.lineno}.") from error
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    if "result" not in named:
        raise PlanInvalid(
            "The code does not define a variable named result.", hint="Assign a DataFrame, a dict or a value to it."
        )
    names = list(inputs)
    made_up = _made_up(tree, set(names))
    if made_up is not None:
        raise PlanInvalid(f"{made_up} is not computed from any of the tables.", hint="Compute every value from them.")
    wrong = [name for name in names if keyword.iskeyword(name)]
    if wrong:
        raise PlanInvalid(f"{wrong[0]} is not a valid Python name for a table.")


def honest_headings(names: Sequence[str], known: Iterable[str]) -> list[str]:
    """The result's headings, each kept only if it is made of words of the sources, the question or statistics."""
    words = {word.casefold() for text in known for word in _WORD.findall(text.replace("_", " "))} | _STATISTICS
    kept: list[str] = []
    for place, name in enumerate(names, start=1):
        said = [word.casefold() for word in _WORD.findall(name.replace("_", " "))]
        plain = bool(said) and len(name) <= 60 and all(word in words for word in said)
        heading = name if plain else f"value {place}"
        kept.append(heading if heading not in kept else f"{heading} {place}")
    return kept


def check_result(
    table: pa.Table, code: str, inputs: Mapping[str, pa.Table], question: str, *, over_nothing: pa.Table | None
) -> None:
    """Pass a result whose cells could only come from the tables.

    ``over_nothing`` is what the same program gives over the same tables without their rows.

    Raises:
        PlanInvalid: a cell is made up; the message says which.
    """
    if table.num_rows and over_nothing is not None and table.equals(over_nothing) and not _is_nothing(table):
        raise PlanInvalid(
            "The program gives the same result without any rows, so the result is not computed from the tables."
        )
    numbers = _numbers_in(code)
    asked = {float(each) for each in re.findall(r"\d+(?:\.\d+)?", question)}
    texts = {str(value) for each in inputs.values() for value in _texts(each)}
    texts |= {name for each in inputs.values() for name in each.column_names}
    folded = question.casefold()
    for name in table.column_names:
        for value in table.column(name).to_pylist()[:2_000]:
            if isinstance(value, str):
                words = {word.casefold() for word in _WORD.findall(value)}
                if value in texts or value.casefold() in folded or words <= VERDICTS or _is_date(value):
                    continue
                raise PlanInvalid(
                    f"The program wrote a text under {name} that is neither in a source nor in the question."
                )
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            if float(value) in numbers - asked - FREE_NUMBERS and not (
                abs(value) <= SMALL and float(value).is_integer()
            ):
                raise PlanInvalid(f"The number under {name} is written in the program and comes from no source.")


def check_given(table: pa.Table, given: Iterable[Any], inputs: Mapping[str, pa.Table], question: str) -> None:
    """Pass a tool's result that repeats nothing which a model gave it: a tool's own words and numbers are its own.

    ``given`` are the texts and numbers of the tool's arguments.

    Raises:
        PlanInvalid: a cell is what the model wrote; the message says which.
    """
    folded, values = question.casefold(), list(given)
    known = {str(value) for each in inputs.values() for value in (*_texts(each), *each.column_names)}
    texts = {value for value in values if isinstance(value, str) and value not in known}
    numbers = {float(value) for value in values if not isinstance(value, str) and abs(value) > SMALL} - FREE_NUMBERS
    numbers -= {float(each) for each in re.findall(r"\d+(?:\.\d+)?", question)}
    made_up = {text for text in texts if text and text.casefold() not in folded}
    for name in table.column_names:
        cells = table.column(name).to_pylist()[:2_000]
        said = [text for text in (name, *cells) if isinstance(text, str)]
        if any(word in text for text in said for word in made_up) or any(
            isinstance(cell, int | float) and not isinstance(cell, bool) and cell in numbers for cell in cells
        ):
            raise PlanInvalid(f"The result holds under {name} what the arguments say, which comes from no source.")


def _is_nothing(table: pa.Table) -> bool:
    """Whether a result says of everything that there is none of it, which may be so of many rows as of no row."""
    return all(value in (0, 0.0) for name in table.column_names for value in table.column(name).to_pylist())


def _made_up(tree: ast.Module, inputs: set[str]) -> str | None:
    """What of the result no table had a part in: the result itself, or a value of a dict; None where all have one."""
    seen: set[str] = set()
    known = set(inputs)
    while seen != known:
        seen = set(known)
        for node in ast.walk(tree):
            known |= _named_by(node, seen)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or not any(
            isinstance(t, ast.Name) and t.id == "result" for t in node.targets
        ):
            continue
        if isinstance(node.value, ast.Dict):
            bare = [
                key for key, value in zip(node.value.keys, node.value.values, strict=True) if not _uses(value, seen)
            ]
            if bare:
                return "A value of the result"
    return None if "result" in seen else "The result"


def _named_by(node: ast.AST, known: set[str]) -> set[str]:
    """The names that a statement gives to something in which a known name has a part."""
    match node:
        case ast.Assign(targets=targets, value=value) if _uses(value, known):
            return {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
        case ast.AugAssign(target=target, value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
            return {n.id for n in ast.walk(target) if isinstance(n, ast.Name)} if _uses(value, known) else set()
        case ast.For(target=target, iter=over) | ast.comprehension(target=target, iter=over) if _uses(over, known):
            return {name.id for name in ast.walk(target) if isinstance(name, ast.Name)}
        case ast.NamedExpr(target=ast.Name(id=name), value=value) if _uses(value, known):
            return {name}
        case ast.FunctionDef(name=name) if _uses(node, known):
            return {name}
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)), args=args)):
            return {name} if any(_uses(each, known) for each in args) else set()
        case ast.If(test=test) if _uses(test, known):
            return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        case _:
            return set()


def _uses(node: ast.AST, known: set[str]) -> bool:
    return any(isinstance(each, ast.Name) and each.id in known for each in ast.walk(node))


def _is_date(text: str) -> bool:
    return re.fullmatch(r"\d{4}(-\d{2}){0,2}([T ]\d{2}:\d{2}(:\d{2})?)?|\d{4}-?Q[1-4]", text) is not None


def _texts(table: pa.Table) -> Iterable[Any]:
    import pyarrow.types as pat

    for column in table.columns:
        if pat.is_string(column.type) or pat.is_large_string(column.type):
            yield from (value for value in column.unique().to_pylist() if value is not None)


def _numbers_in(code: str) -> set[float]:
    found: set[float] = set()
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.Constant) or isinstance(node.value, bool):
            continue
        value = node.value
        if isinstance(value, str):
            number = re.fullmatch(r"\s*-?[\d_]+(?:\.\d+)?(?:e\d+)?\s*", value, re.IGNORECASE)
            value = float(value) if number else None
        if isinstance(value, int | float):
            found |= {float(value), -float(value)}
    return found
