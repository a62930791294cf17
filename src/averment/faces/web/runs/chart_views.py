"""The charts of a run as a page shows them, and drawn anew in another kind, order or scale from the same rows."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

from averment.charts.draw import vega_lite
from averment.charts.encode import MISSING, kind_of, named
from averment.charts.kinds import kind_named
from averment.charts.spec import ChartSpec
from averment.errors import InvalidRequest, SourceError, SourceNotFound
from averment.faces.web.data.table_grid import GridRows, drawn_rows
from averment.records.run import Artifact, Observation, ToolCall
from averment.runtime.outcome import MAIN_TASK, Run
from averment.workbench import Workbench

if TYPE_CHECKING:
    import pyarrow as pa

PNG_HEADER_BYTES = 24
PLOT = "plot.render"
Sort = Literal["", "highest", "lowest", "name"]


@dataclass(frozen=True)
class ChartView:
    """A chart: its picture with its size, its interactive form, what it shows, and how else it can be drawn."""

    title: str
    picture: str
    width: int
    height: int
    spec: str | None
    sentence: str
    drawn: GridRows | None = None
    kind: str = ""
    kinds: tuple[str, ...] = ()

    @property
    def can_sort(self) -> bool:
        """Whether one of its kinds has names that can stand in another order."""
        return any(kind_named(kind).sorts for kind in (self.kind, *self.kinds))


def charts_of(workbench: Workbench, run: Run, plan: Mapping[str, Any] | None) -> tuple[ChartView, ...]:
    """The charts that a run left; the one of its main result can be drawn in the kinds that the chooser allows."""
    charts = [artifact for artifact in run.artifacts if artifact.artifact_type == "chart"]
    names = {_name(artifact) for artifact in charts}
    drawing = _drawing(workbench, run) if names and plan is not None else None
    shown: list[ChartView] = []
    for artifact in charts:
        name = _name(artifact)
        if not name.endswith(".png"):
            continue
        spec = name.removesuffix(".png") + ".vl.json"
        width, height = _png_size(run, artifact)
        about = artifact.metadata
        kind, x, y = (str(about.get(key, "")) for key in ("chart_type", "x_label", "y_label"))
        title = f"{y} by {x}" if x and y else name.removesuffix(".png").replace("_", " ")
        sentence = f"A {kind} chart of {title}." if x and y else f"Chart: {title}."
        drawn = drawn_rows(read_json(run, spec)) if spec in names else None
        kinds = allowed_kinds(plan, drawing[1], kind) if drawing is not None and plan is not None else ()
        shown.append(
            ChartView(title, name, width, height, spec if spec in names else None, sentence, drawn, kind, kinds)
        )
    return tuple(shown)


def allowed_kinds(plan: Mapping[str, Any], table: pa.Table, own: str) -> tuple[str, ...]:
    """The kinds in which the chooser draws this result, its own first; its own alone where points are drawn."""
    from averment.plans.chart_kinds import chart_kinds

    return (own, *(kind for kind in chart_kinds() if kind != own and _chosen(plan, table, kind) is not None))


def redraw(workbench: Workbench, run: Run, kind: str, *, sort: Sort = "", log: bool = False) -> dict[str, Any]:
    """The chart of a run's main result in another kind, order or scale, as a Vega-Lite document.

    Raises:
        SourceNotFound: the run has no chart.
        InvalidRequest: its result is not drawn in that kind.
    """
    drawing = _drawing(workbench, run)
    if drawing is None:
        raise SourceNotFound("The run has no chart that can be drawn again.")
    arguments, table = drawing
    if kind and kind != arguments["type"]:
        plan = run.plan if run.plan is not run.tasks else None
        chosen = None if plan is None else _chosen(plan, table, kind)
        if chosen is None:
            raise InvalidRequest("This result is not drawn as that kind of chart.")
        arguments = chosen
    spec = ChartSpec.model_validate({name: value for name, value in arguments.items() if name != "input"})
    document = vega_lite(table, spec)
    if sort and kind_named(spec.type).sorts and spec.series_col is None:
        _order(document, _names_in_order(table, spec, sort))
    if log and kind_named(spec.type).scales:
        _log(document, table, spec)
    return document


def _chosen(plan: Mapping[str, Any], table: pa.Table, kind: str) -> dict[str, Any] | None:
    """How the chooser draws a result in a kind; None where it would draw it otherwise."""
    from averment.plans.charting import behind_values, choose_chart, points_query
    from averment.plans.compile import compile_plan
    from averment.plans.plan import stored_plan

    read = stored_plan(plan)
    # Boxes show the values behind the result, which were not taken for this chart.
    if points_query(read) is not None or behind_values(kind) is not None:
        return None
    compiled = compile_plan(read)
    made = choose_chart(read, compiled, table, kind)
    if made is None or made["type"] != kind:
        return None
    # Slices are parts of a whole: only what adds up is drawn as a pie that nobody asked for by name.
    drawn = compiled.column(str(made.get("y_col")))
    return made if kind != "pie" or (drawn is not None and drawn.additive) else None


def _drawing(workbench: Workbench, run: Run) -> tuple[dict[str, Any], pa.Table] | None:
    """The arguments of the call that drew the chart of the main result, and that result."""
    calls: Iterable[tuple[ToolCall, Observation]] = workbench.runs.calls(run.id)
    drawn = [call for call, seen in calls if call.tool_name == PLOT and seen.status == "success"]
    mine = next((call for call in drawn if call.arguments.get("input") == MAIN_TASK), None)
    table = None if mine is None else run.table
    return None if mine is None or table is None else (dict(mine.arguments), table)


def _names_in_order(table: pa.Table, spec: ChartSpec, sort: Sort) -> list[str]:
    values = table.column(spec.y_col or spec.x_col).to_pylist()
    pairs = [(named(name), value) for name, value in zip(table.column(spec.x_col).to_pylist(), values, strict=True)]
    pairs = pairs[: spec.first] if spec.first else pairs
    if sort == "name":
        pairs.sort(key=lambda pair: (pair[0] == MISSING, pair[0].casefold()))
    else:
        known = [pair for pair in pairs if pair[1] is not None]
        known.sort(key=lambda pair: pair[1], reverse=sort == "highest")
        pairs = [*known, *(pair for pair in pairs if pair[1] is None)]
    return list(dict.fromkeys(name for name, _ in pairs))


def _order(document: dict[str, Any], names: list[str]) -> None:
    encoding = document["encoding"]
    if "theta" in encoding:
        places = {name: place for place, name in enumerate(names)}
        field = encoding["color"]["field"]
        encoding["color"]["scale"]["domain"] = sorted(encoding["color"]["scale"]["domain"], key=lambda one: places[one])
        for row in document["data"]["values"]:
            row["place"] = places[row[field]]
        return
    for channel in ("x", "y"):
        if encoding.get(channel, {}).get("type") in {"nominal", "ordinal"} and "timeUnit" not in encoding[channel]:
            encoding[channel]["sort"] = names


def _log(document: dict[str, Any], table: pa.Table, spec: ChartSpec) -> None:
    """A logarithmic axis of values; where some are zero or below, one that is straight around zero."""
    value = spec.y_col
    if value is None or kind_of(table, value) != "quantitative":
        return
    numbers = [number for number in table.column(value).to_pylist() if number is not None]
    kind = "log" if numbers and min(numbers) > 0 else "symlog"
    channel = document["encoding"]["x" if spec.horizontal else "y"]
    channel["scale"] = {"type": kind}
    channel.pop("stack", None)
    if spec.type in {"bar", "area"} and kind == "log":
        # A bar needs a foot, and zero has no place on this axis.
        foot = float(min(numbers)) / 2
        channel["scale"]["domainMin"] = foot
        marked = document["layer"][0] if "layer" in document else document
        marked.setdefault("encoding", {})["x2" if spec.horizontal else "y2"] = {"datum": foot}


def read_json(run: Run, name: str) -> dict[str, Any] | None:
    """A JSON file that the run left, or None when there is none that can be read."""
    artifact = next((one for one in run.artifacts if _name(one) == name), None)
    if artifact is None:
        return None
    try:
        return json.loads(run.path_of(artifact).read_text(encoding="utf-8"))
    except (OSError, ValueError, SourceError):
        return None


def _png_size(run: Run, artifact: Artifact) -> tuple[int, int]:
    """Width and height as the file's header gives them, so that the page keeps its place while it loads."""
    try:
        with run.path_of(artifact).open("rb") as file:
            header = file.read(PNG_HEADER_BYTES)
        width, height = struct.unpack(">II", header[16:24])
    except (OSError, struct.error, SourceError):
        return 640, 400
    return int(width), int(height)


def _name(artifact: Artifact) -> str:
    return PurePosixPath(artifact.content_ref).name
