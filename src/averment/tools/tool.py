"""What a tool is: arguments, output, function and annotations; and the context in which it runs.

A tool gets validated arguments and a ToolContext and returns its output record. It never logs, retries or decides:
the runtime does. Whatever table it keeps goes through the context, where policy looks at it first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError

from averment.errors import InvalidArguments, RunStopped
from averment.records.run import ToolName
from averment.tools.result_store import ResultStore, StoredTable

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.corpus.corpus import Corpus
    from averment.sandbox.protocol import Jail
    from averment.settings import Settings
    from averment.tables.engines.engine import Engine


class Args(BaseModel):
    """The arguments of a tool: frozen, described, and nothing beyond them."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Output(BaseModel):
    """What a tool returns; it becomes the observation's data."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True, kw_only=True)
class Annotations:
    """What a caller may rely on without reading the code."""

    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    cost_seconds: float = 1.0


def _allow_columns(columns: frozenset[tuple[str, str]]) -> None:
    """Without a policy every column may be read."""
    _ = columns


def _go_on() -> bool:
    return False


def _allow_table(table: pa.Table) -> None:
    """Without a policy every value may be kept."""
    _ = table


@dataclass(frozen=True, kw_only=True)
class ToolContext:
    """What a tool may use: the query engine, the jail, the shelf of results, the corpus, and the run's limits."""

    call_id: str
    settings: Settings
    engine: Callable[[], Engine]
    jail: Callable[[], Jail]
    result_store: ResultStore
    seconds_left: float
    row_limit: int
    check_columns: Callable[[frozenset[tuple[str, str]]], None] = field(default=_allow_columns)
    check_values: Callable[[pa.Table], None] = field(default=_allow_table)
    corpus: Callable[[], Corpus] | None = None
    halted: Callable[[], bool] = field(default=_go_on)
    """Whether the run is to stop: what takes long asks now and then."""

    def check(self) -> None:
        """Go on only if the run is to go on; what takes long looks here between its parts.

        Raises:
            RunStopped: it is to stop.
        """
        if self.halted():
            raise RunStopped("The run was cancelled.")

    def archive(self) -> Corpus:
        """The corpus of the home.

        Raises:
            InvalidArguments: this caller has none.
        """
        if self.corpus is None:
            raise InvalidArguments("There is no corpus to search here.")
        return self.corpus()

    def keep(self, table: pa.Table) -> StoredTable:
        """Put a result on the result store under this call's id, after policy has looked at its names and values."""
        self.check_values(table)
        return self.result_store.put(self.call_id, table)


A = TypeVar("A", bound=Args)
R = TypeVar("R", bound=Output)


@dataclass(frozen=True, kw_only=True)
class Tool(Generic[A, R]):
    """One verb, ready for the executor, HTTP and MCP alike."""

    name: ToolName
    description: str
    args: type[A]
    output: type[R]
    run: Callable[[A, ToolContext], R]
    annotations: Annotations = field(default_factory=Annotations)

    def schema(self) -> dict[str, Any]:
        """The tool as a JSON document: name, description, argument and output schemas, annotations."""
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": self.args.model_json_schema(),
            "output_schema": self.output.model_json_schema(),
            "annotations": {
                "read_only": self.annotations.read_only,
                "destructive": self.annotations.destructive,
                "idempotent": self.annotations.idempotent,
            },
        }


def validated(name: str, args: type[A], arguments: dict[str, Any]) -> A:
    """The arguments of the tool of that name as its own record, checked before anything runs.

    Raises:
        InvalidArguments: a field is missing, unknown or outside its range.
    """
    try:
        return args.model_validate(arguments)
    except ValidationError as error:
        problems = [f"{'.'.join(str(part) for part in e['loc']) or 'arguments'}: {e['msg']}" for e in error.errors()]
        raise InvalidArguments(
            f"The arguments of {name} are invalid: {'; '.join(problems)}.",
            hint=f"Fields of {name}: {', '.join(args.model_fields)}.",
            details={"problems": problems},
        ) from error


def tool(name: ToolName, run: Callable[[A, ToolContext], R], description: str, **annotations: Any) -> Tool[A, R]:
    """A function as a tool: it takes and gives the types of its signature, and keeps what the annotations say."""
    types = get_type_hints(run)
    return Tool(
        name=name,
        description=description,
        args=types["args"],
        output=types["return"],
        run=run,
        annotations=Annotations(**annotations),
    )
