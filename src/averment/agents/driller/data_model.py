"""From files to a reading: roles, relations, the metric's rows and day, the dimensions, and what the user points to.

Rows that add up the others are left out, or asked about. The columns that stand beside the metric in its query are
chosen here, and small files are read once before a run is begun, so that it is not begun in vain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from averment.agents.driller.metric_reading import Unsure, resolve_metric
from averment.agents.driller.reading import (
    DimensionMention,
    InvestigationSetup,
    MetricReading,
    ReadColumn,
    ReadRelation,
    ReadTable,
    TotalRows,
    rows_as_dict,
)
from averment.agents.driller.roles import ASIDE, Roles, resolve_relations, take_roles, with_given
from averment.errors import (
    ColumnNotAllowed,
    JoinFansOut,
    MetricUnclear,
    MetricUndefined,
    MetricUnreadable,
    PeriodWithoutData,
    TypeMismatch,
)
from averment.reading.schema.gather import TOTAL_SHARE
from averment.reading.schema.known_words import MOST_MEANINGS
from averment.reading.schema.total_rows import is_called_total
from averment.tables.cubes.cube_sql import MOST_CELLS, MOST_ROWS, FactColumns, Rows, cube_sql
from averment.tables.cubes.date_column import DayColumn, find_day
from averment.tables.cubes.dimensions import Dimension, DimensionCut, LeftOut, find_dimensions, resolve_groups, split_by
from averment.tables.engines.backend import quote, quote_text
from averment.tables.guard.names import name_parts
from averment.tables.metrics.joins import RowSource, place_metric
from averment.tables.metrics.parse import MetricForm
from averment.tables.metrics.quantile import at_quantile
from averment.tables.metrics.stack import stack_metric
from averment.tables.profile.relationships import TableRelation, across_kinds, relate

if TYPE_CHECKING:
    from averment.records.drilldown.investigation import Groups
    from averment.records.drilldown.request import DrillRequest
    from averment.runtime.services import Services
    from averment.store.knowledge.corrections import Correction
    from averment.tables.catalog import Catalog
    from averment.tables.engines.engine import Engine
    from averment.tables.profile.profiler import ColumnProfile, TableProfile


_MOST_SIBLINGS = 6
_KEY_SHARE = 0.9
_MOST_WATCHED = 200
_LEAST_ENTITIES, _LEAST_DATES = 61, 3
"""A column of fewer values is a dimension and tells the entities itself."""


def fact_columns(
    rows: Rows,
    day: DayColumn,
    dimensions: Sequence[Dimension],
    profiles: Sequence[TableProfile],
    own: Collection[tuple[str, str]],
) -> FactColumns:
    """The columns for a table of this size; a large one is read as cells of the dimensions that fit."""
    base = next((profile for profile in profiles if profile.table == rows.source.base), None)
    names = [dimension.name for dimension in dimensions if dimension.kind != "bins"]
    if rows.unit or base is None:
        return FactColumns(whole_rows=True, dimensions=tuple(names))
    if base.row_count > MOST_ROWS:
        span = max(rows.baseline[1], rows.comparison[1]) - min(rows.baseline[0], rows.comparison[0])
        return FactColumns(whole_rows=False, dimensions=_fitting(dimensions, span.days + 1))
    columns = [column for column in base.columns if column.name]
    keys = {column.name for column in columns if _is_row_key(column, base.row_count)}
    siblings = [
        (base.table, column.name)
        for column in columns
        if column.inferred_type == "measure" and (base.table, column.name) not in own
    ]
    joins = tuple((s.left, s.left_column, s.right, s.right_column) for s in rows.source.steps)
    if rows.source.text is not None:
        # Rows of two tables: what repeats in one of them says nothing, and neither has other measures.
        return FactColumns(whole_rows=True, dimensions=tuple(names), joins=joins)
    return FactColumns(
        whole_rows=True,
        dimensions=tuple(names),
        siblings=tuple(siblings[:_MOST_SIBLINGS]),
        all_columns=tuple(column.name for column in columns),
        plain_columns=tuple(column.name for column in columns if column.name not in keys),
        cluster=_cluster(rows, day, base),
        hour=day.column if day.has_times else None,
        watched=_watched(rows, names, profiles, own),
        joins=joins,
    )


def _watched(
    rows: Rows, names: Sequence[str], profiles: Sequence[TableProfile], own: Collection[tuple[str, str]]
) -> tuple[tuple[str, str, str], ...]:
    found: list[tuple[str, str, str]] = []
    for profile in profiles:
        for column in profile.columns:
            fits = column.data_type == "string" and 2 <= column.cardinality <= _MOST_WATCHED
            if (profile.table, column.name) in own and fits and rows.source.reaches(profile.table):
                name = column.name if column.name not in {*names, "day", "v", "w"} else f"{profile.table}.{column.name}"
                found.append((name, profile.table, column.name))
    return tuple(found)


def _is_row_key(column: ColumnProfile, rows: int) -> bool:
    counted = column.inferred_type == "id" or column.data_type == "string"
    return counted and rows > 10 and column.cardinality >= _KEY_SHARE * rows


def _cluster(rows: Rows, day: DayColumn, base: TableProfile) -> tuple[str, str] | None:
    """The base's column whose rows share one date, or stand once on each: orders with lines, accounts by the month."""
    if day.table != base.table:
        step = next((s for s in rows.source.steps if s.left == base.table and s.right == day.table), None)
        return None if step is None else (base.table, step.left_column)
    for column in base.columns:
        if column.inferred_type == "id" and 0.05 * base.row_count < column.cardinality < _KEY_SHARE * base.row_count:
            return base.table, column.name
    for column in base.columns:
        many = column.inferred_type == "id" or column.data_type == "string"
        if many and _LEAST_ENTITIES <= column.cardinality <= base.row_count / _LEAST_DATES:
            return base.table, column.name
    return None


def _fitting(dimensions: Sequence[Dimension], days: int) -> tuple[str, ...]:
    """The dimensions whose combinations with the days can be held, those with few values first."""
    kept: list[str] = []
    cells = days
    for dimension in sorted(dimensions, key=lambda one: one.values):
        if dimension.kind in {"plain", "top"} and cells * max(dimension.values, 1) <= MOST_CELLS:
            cells *= max(dimension.values, 1)
            kept.append(dimension.name)
    return tuple(kept)


MOST_FIGURES = 4
TOLERANCE = 1e-9


class DoubtfulTotal(Exception):
    """Rows are called a total, and their figures are not quite that; ``question`` is what to ask."""

    def __init__(self, question: str) -> None:
        super().__init__(question)
        self.question = question


def without_totals(
    engine: Engine, rows: Rows, profiles: Sequence[TableProfile], *, metric: str, resolved: Collection[tuple[str, str]]
) -> tuple[Rows, tuple[TotalRows, ...]]:
    """The metric's rows without those that add up the others, and what those are called.

    Columns in ``resolved`` are named by the metric itself, which then says which of their rows count.

    Raises:
        Doubtful: rows are called a total, and the figures do not say whether they are one.
    """
    found: list[TotalRows] = []
    if rows.source.text is not None:
        return rows, ()
    for profile in profiles:
        if profile.table != rows.source.base and not rows.source.reaches(profile.table):
            continue
        for column in profile.columns:
            if column.data_type != "string" or (profile.table, column.name) in resolved:
                continue
            called = [str(value) for value, _ in column.values or () if is_called_total(str(value))]
            proven = tuple(value for value in called if _is_proven(engine, profile, column.name, value, metric))
            if proven:
                found.append(TotalRows(table=profile.table, column=column.name, values=proven))
    for one in found:
        place = f"{quote(one.table)}.{quote(one.column)}"
        kept = f"({place} IS NULL OR {place} NOT IN ({', '.join(map(quote_text, one.values))}))"
        where = kept if rows.where is None else f"({rows.where}) AND {kept}"
        rows = replace(rows, where=where, where_tables=tuple(dict.fromkeys((*rows.where_tables, one.table))))
    return rows, tuple(found)


def _is_proven(engine: Engine, profile: TableProfile, column: str, value: str, metric: str) -> bool:
    shares = list(_shares(engine, profile, column, value))
    if any(abs(share - 1) <= TOLERANCE for share in shares):
        return True
    if any(share >= TOTAL_SHARE for share in shares):
        rows = f"{column} <> {quote_text(value)}"
        raise DoubtfulTotal(
            f"{profile.table} has rows whose {column} is {value}; their figures are most of what all other rows add up "
            f"to, but not that sum. Do they count? Please say it in the metric: {metric} FILTER (WHERE {rows}) leaves "
            f"them out, {metric} FILTER (WHERE {column} IS NOT NULL) counts them."
        )
    return False


def _shares(engine: Engine, profile: TableProfile, column: str, value: str) -> Iterator[float]:
    """For each figure of the table: its sum over the rows called so, as a part of its sum over all others."""
    measures = [each.name for each in profile.columns if each.inferred_type == "measure"][:MOST_FIGURES]
    if not measures:
        return
    name, text = quote(column), quote_text(value)
    parts = ", ".join(
        f"sum(CASE WHEN {name} = {text} THEN {quote(each)} END) AS own{n}, "
        f"sum(CASE WHEN {name} <> {text} THEN {quote(each)} END) AS rest{n}"
        for n, each in enumerate(measures)
    )
    row = engine.run(f"SELECT {parts} FROM {quote(profile.table)}", timeout=60.0).table.to_pylist()[0]
    for n in range(len(measures)):
        own, rest = float(row[f"own{n}"] or 0), float(row[f"rest{n}"] or 0)
        if own and rest:
            yield own / rest


WEAK_RELATION = 0.2
"""A key that matches this little is still joined: that it stopped matching may be what moved the metric."""
_WORD = re.compile(r"[^\W_]+")
_LONGEST_PHRASE = 3


@dataclass(frozen=True, kw_only=True)
class Sides:
    """The metric with its rows on either side, before it is cut by anything."""

    form: MetricForm
    metric: MetricReading
    rows: Rows
    day: DayColumn
    profiles: Sequence[TableProfile]
    searched: Sequence[TableProfile]
    relations: Sequence[TableRelation]
    roles: Roles
    totals: tuple[TotalRows, ...] = ()


def read_sides(
    engine: Engine,
    request: DrillRequest,
    *,
    permits: Callable[[str, str], bool],
    timeout: float = 120.0,
    taught: Sequence[Correction] = (),
) -> Sides:
    """The metric, its joins and both sides over the files, as far as they can be followed; raises as below."""
    profiles, searched, roles = take_roles(_profiles(engine, permits, timeout), request.column_roles)
    context = request.context
    form, metric = resolve_metric(context.metric_sql, engine, searched, taught)
    if context.metric_name:
        unit = f" ({context.metric_unit})" if context.metric_unit else ""
        metric = metric.changed(name=f"{context.metric_name}{unit}")
    _check_permitted(form, permits)
    columns = {one.table: [column.name for column in one.columns] for one in profiles}
    inferred = relate(engine, profiles, least=WEAK_RELATION, mixed=True)
    relations = across_kinds(with_given(resolve_relations(request.relations, columns), inferred), profiles)
    source, searched = _placed(engine, form, searched, relations)
    periods = [(side.start, side.end) for side in (context.baseline_period, context.comparison_period)]
    undated = Rows.undated(engine.catalog.dialect, _scaled(source, form), form, *periods)
    rows, day = _sided(engine, undated, searched, request, named=_named_day(form) or roles.day, metric=metric)
    if roles.day is not None and context.groups is None and (day.table, day.column) != roles.day:
        raise TypeMismatch(
            f"{'.'.join(roles.day)} was given as the date column, but it has no readable dates in both periods.",
            hint="Any common date format works, one format per column. Choose another column or other periods.",
            details={"column": ".".join(roles.day)},
        )
    try:
        rows, totals = without_totals(engine, rows, searched, metric=metric.sql, resolved=form.columns)
    except DoubtfulTotal as doubtful:
        raise Unsure(doubtful.question) from doubtful
    if form.quantile is not None:
        rows = at_quantile(engine, rows, form.quantile)
    _check_defined(engine, rows, metric)
    return Sides(
        form=form,
        metric=metric,
        rows=rows,
        day=day,
        profiles=profiles,
        searched=searched,
        relations=relations,
        roles=roles,
        totals=totals,
    )


def read_investigation(
    engine: Engine,
    request: DrillRequest,
    *,
    permits: Callable[[str, str], bool],
    timeout: float = 120.0,
    taught: Sequence[Correction] = (),
) -> InvestigationSetup:
    """The whole reading of a request over its files.

    ``permits`` says which columns of which table may be read, ``taught`` what words of the metric were taught to mean.

    Raises:
        Unsure: the metric's words are not clear; nothing was planned.
        MetricUnreadable, MetricUndefined, JoinFansOut, NoDateColumn, PeriodWithoutData, GroupNotFound, MissingColumn,
            MissingTable: the metric cannot be followed over these files and periods.
        ColumnNotAllowed: the policy allows no column.
        TypeMismatch, InvalidRequest: a column cannot have the role that was given to it.
    """
    sides = read_sides(engine, request, permits=permits, timeout=timeout, taught=taught)
    context, day, roles = request.context, sides.day, sides.roles
    pointed = _mentions(request, sides.searched)
    cut = find_dimensions(
        engine,
        sides.rows,
        sides.searched,
        day,
        own={*sides.form.columns, *([(day.table, day.column)] if context.groups is not None else [])},
        wanted={place for place, _ in pointed},
        forced=roles.dimensions,
        most_leaves=min(request.constraints.row_limit, 150_000),
    )
    aside = tuple(LeftOut(name=".".join(place), reason=ASIDE) for place in sorted(roles.ignored))
    cut = cut.changed(left_out=(*(_told(one, day, context.groups) for one in cut.left_out), *aside))
    reading = _assembled(sides, cut, pointed)
    groups = context.groups and resolve_groups(sides.searched, sides.rows, context.groups)
    return reading.changed(totals=sides.totals, groups=groups)


def _told(left_out: LeftOut, day: DayColumn, groups: Groups | None) -> LeftOut:
    """A column that is no dimension; the flag of two groups is none because it tells them apart."""
    is_flag = groups is not None and left_out.name in {day.column, f"{day.table}.{day.column}"}
    return left_out.changed(reason="it defines the groups") if is_flag else left_out


def _sided(
    engine: Engine,
    undated: Rows,
    profiles: Sequence[TableProfile],
    request: DrillRequest,
    *,
    named: tuple[str, str] | None,
    metric: MetricReading,
) -> tuple[Rows, DayColumn]:
    """The rows with what puts them on either side: their day, or their group."""
    groups = request.context.groups
    if groups is None or request.context.limits_time:
        day = find_day(engine, undated, profiles, named=named)
        undated = replace(undated, day_sql=day.sql, day_table=day.table)
        if groups is None:
            return undated, day
    if metric.per_day:
        raise MetricUnreadable("A daily metric needs two periods. Groups are compared by sums, means and rates.")
    return split_by(engine, undated, profiles, groups)


def _placed(
    engine: Engine, form: MetricForm, profiles: Sequence[TableProfile], relations: Sequence[TableRelation]
) -> tuple[RowSource, Sequence[TableProfile]]:
    """Where the metric's rows come from; a quotient over two tables without a key is read over what they share."""
    try:
        return place_metric(engine, form, relations), profiles
    except (JoinFansOut, MetricUnreadable):
        stacked = stack_metric(engine, form, profiles, relations)
        if stacked is None:
            raise
        return stacked[0], [*profiles, stacked[1]]


def _assembled(
    sides: Sides, cut: DimensionCut, pointed: list[tuple[tuple[str, str], DimensionMention]]
) -> InvestigationSetup:
    form, rows, day, relations = sides.form, sides.rows, sides.day, sides.relations
    source = rows.source
    used = {(step.left, step.left_column, step.right, step.right_column) for step in source.steps}
    used |= {(g.table, g.column, source.base, g.base_column) for g in source.gathered}
    return InvestigationSetup(
        metric=sides.metric,
        rows=rows_as_dict(rows),
        day_table=day.table,
        day_column=day.column,
        first_day=day.first,
        last_day=day.last,
        has_times=day.has_times,
        row_key=_row_key(rows, sides.searched),
        base=source.base,
        dimensions=cut.dimensions,
        left_out=cut.left_out,
        tables=tuple(_read_table(profile) for profile in sides.profiles),
        relations=tuple(
            ReadRelation(
                from_table=r.left,
                from_column=r.left_column,
                to_table=r.right,
                to_column=r.right_column,
                confidence=r.confidence,
                used=(r.left, r.left_column, r.right, r.right_column) in used,
            )
            for r in relations
        ),
        repeating=source.repeating,
        mentions=_resolved_mentions(pointed, cut.dimensions),
        facts=fact_columns(rows, day, cut.dimensions, sides.searched, form.columns),
        inputs=tuple(sorted(column for _, column in form.columns)),
    )


def _profiles(engine: Engine, permits: Callable[[str, str], bool], timeout: float) -> list[TableProfile]:
    from averment.tables.profile.profiler import profile

    found: list[TableProfile] = []
    for table in engine.catalog.tables:
        permitted = [column.name for column in table.columns if permits(table.name, column.name)]
        if permitted:
            found.append(profile(engine, table.name, columns=permitted, timeout=timeout))
    if not found:
        raise ColumnNotAllowed("The policy does not allow any column of these files.")
    return found


def _check_permitted(form: MetricForm, permits: Callable[[str, str], bool]) -> None:
    """Nothing, if the policy allows every column that the metric's text reads."""
    read = set(form.columns)
    for join in form.joins:
        read |= {(join.left, join.left_column), (join.right, join.right_column)}
    outside = sorted(f"{table}.{column}" for table, column in read if not permits(table, column))
    if outside:
        raise ColumnNotAllowed(
            f"The metric reads {', '.join(outside)}, which the policy does not allow.",
            hint="Use a metric over allowed columns, or change the policy.",
            details={"columns": outside},
        )


def _scaled(source: RowSource, form: MetricForm) -> RowSource:
    """A constant factor of the metric is part of what each row adds."""
    if form.scale == 1.0:
        return source
    part = source.numerator
    return replace(source, numerator=replace(part, value=f"{form.scale!r} * ({part.value})"))


def _named_day(form: MetricForm) -> tuple[str, str] | None:
    if form.per_day is None:
        return None
    return next((place for place in form.columns if f'"{place[1]}"' in form.per_day), None)


def _check_defined(engine: Engine, rows: Rows, metric: MetricReading) -> None:
    """Nothing, if the metric has a value in both periods; that each has rows was seen when the day was found."""
    if metric.kind == "sum" and rows.unit is None:
        return
    row: dict[str, Any] = engine.run(cube_sql(rows, ()), timeout=120.0).table.to_pylist()[0]
    for side, period in (("before", "baseline"), ("after", "comparison")):
        if not row[f"rows_{side}"]:
            raise PeriodWithoutData(f"The {period} period has no rows for this metric.")
        if metric.kind == "ratio" and not row[f"weight_{side}"]:
            raise MetricUndefined(f"{metric.text} divides by zero in the {period} period, so it has no value there.")


def _row_key(rows: Rows, profiles: Sequence[TableProfile]) -> tuple[str, str] | None:
    """A column that names each row of the base: its repeats show rows that were loaded twice."""
    base = next((profile for profile in profiles if profile.table == rows.source.base), None)
    if base is None or rows.unit:
        return None
    for column in base.columns:
        if column.inferred_type == "id" and column.nulls == 0 and column.cardinality >= 0.6 * base.row_count:
            return base.table, column.name
    return None


def _read_table(profile: TableProfile) -> ReadTable:
    return ReadTable(
        name=profile.table,
        row_count=profile.row_count,
        columns=tuple(
            ReadColumn(
                name=column.name,
                inferred_type=column.inferred_type,
                data_type=column.data_type,
                cardinality=max(1, column.cardinality),
                sample_values=column.sample_values,
                nullable=column.nullable,
            )
            for column in profile.columns
        ),
    )


def _mentions(
    request: DrillRequest, profiles: Sequence[TableProfile]
) -> list[tuple[tuple[str, str], DimensionMention]]:
    """Columns and values that the user's words name, those of the prompt first."""
    found: list[tuple[tuple[str, str], DimensionMention]] = []
    texts = ((request.context.investigation_prompt, True), (request.context.business_context, False))
    for text, asked in texts:
        phrases = _phrases(text or "")
        for profile in profiles:
            for column in profile.columns:
                if column.inferred_type not in {"dimension", "id"}:
                    continue
                place = (profile.table, column.name)
                values = {str(value).casefold(): str(value) for value, _ in column.values or ()}
                for phrase in phrases:
                    if phrase in values and len(phrase) >= 2:
                        mention = DimensionMention(
                            dimension=column.name, value=values[phrase], word=phrase, asked=asked
                        )
                        found.append((place, mention))
                name = " ".join(name_parts(column.name))
                if name in phrases or f"{name}s" in phrases:
                    found.append((place, DimensionMention(dimension=column.name, value=None, word=name, asked=asked)))
    return found


def _phrases(text: str) -> set[str]:
    words = [word.casefold() for word in _WORD.findall(text)]
    return {
        " ".join(words[start : start + length])
        for length in range(1, _LONGEST_PHRASE + 1)
        for start in range(len(words) - length + 1)
        if length > 1 or len(words[start]) >= 2
    }


def _resolved_mentions(
    pointed: list[tuple[tuple[str, str], DimensionMention]], dimensions: Sequence[Dimension]
) -> tuple[DimensionMention, ...]:
    """The mentions whose column became a dimension, by the dimension's own name, each once."""
    names = {(dimension.table, dimension.column): dimension.name for dimension in dimensions}
    found: dict[tuple[str, str | None], DimensionMention] = {}
    for place, mention in pointed:
        if place in names:
            resolved = mention.changed(dimension=names[place])
            found.setdefault((resolved.dimension, resolved.value), resolved)
    return tuple(found.values())


MOST_CHECKED = 3_000_000
"""Files of more rows are not read twice: what is wrong with them the investigation itself says."""
SECONDS = 60.0


def check_investigation(
    services: Services, catalog: Catalog, request: DrillRequest, permits: Callable[[str, str], bool]
) -> None:
    """Nothing, if the metric, its joins and both sides hold over these files.

    Raises:
        MetricUnclear: the words of the metric can be read in several ways, or in none.
        MetricUnreadable, MetricUndefined, JoinFansOut, NoDateColumn, PeriodWithoutData, GroupNotFound, MissingColumn,
            MissingTable, TypeMismatch, ColumnNotAllowed: it cannot be followed.
    """
    from averment.tables.engines.engine import Engine
    from averment.tables.sources.opening import bring_here

    if sum(table.row_count or 0 for table in catalog.tables) > MOST_CHECKED:
        return
    here = bring_here(catalog, settings=services.settings, cache_dir=services.store.cache_dir / "tables", read=None)
    taught = services.store.recipes.corrections.list(limit=MOST_MEANINGS)
    with Engine(here, services.settings) as engine:
        try:
            read_sides(engine, request, permits=permits, timeout=SECONDS, taught=taught)
        except Unsure as unsure:
            raise MetricUnclear(unsure.question) from unsure
