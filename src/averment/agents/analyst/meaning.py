"""How the analyst comes to a plan: a schema for the reader, the judge's verdict, and what is kept of both.

A plan may be read from the question, edited from an earlier run's plan, chosen among offers, or handed in. Whatever its
way, the run's reading holds the plan, its read-back, its grade and its odds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from averment.agents.analyst.profiling import profile_table, relations_between
from averment.errors import InvalidArguments, PolicyError
from averment.plans.compile import CompiledPlan, compile_plan
from averment.plans.plan import Plan, Test, Value
from averment.plans.readback import read_back
from averment.reading.followup import follow, stands_alone
from averment.reading.grammar import read as compact_grammar
from averment.reading.judge.ensemble import decided, is_beyond_model
from averment.reading.judge.judging import MOST_OFFERS, execute, judge
from averment.reading.judge.verdict import Reading, Verdict
from averment.reading.lattice.link_reader import packaged_link
from averment.reading.learned.cards import card_of
from averment.reading.learned.proposals import hints_of, names_of, propose
from averment.reading.reader import Candidate, read
from averment.reading.schema.annotations import annotate
from averment.reading.schema.beside_the_point import named_in
from averment.reading.schema.gather import gather
from averment.reading.schema.schema_view import read_table
from averment.reading.schema.total_choice import Choice, about_totals, said_of_totals, totals_question
from averment.reading.slots.preamble import without_preamble
from averment.reading.words import tokens
from averment.tables.read.staging import several_units, why_text

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.reading.judge.judging import Run
    from averment.reading.lattice.spans import Lattice, Span
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema
    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import JsonObject, KeptOffer, KeptReading
    from averment.tables.profile.profiler import TableProfile

PREVIEW_ROWS = 200
"""Rows of an offer that are kept to be shown."""

Tried = dict[str, "pa.Table"]
"""Results of the plans that were tried for a run, by their queries."""


def schema_of(work: RunContext, profiles: Sequence[TableProfile]) -> Schema:
    """The run's tables as the reader sees them."""

    def ask(sql: str, params: Sequence[Any]) -> list[dict[str, Any]]:
        return work.queries.probe(sql, params, row_limit=6_000).table.to_pylist()

    schema = gather(profiles, relations_between(work, profiles), ask)
    annotate(schema, (work.state.meaning.get("dataset") or {}).get("columns") or {})
    for note in work.catalog.notes:
        column = schema.column(note.table or "", note.column or "")
        if column is not None and column.kind == "text":
            column.why_text = why_text(note) or column.why_text
    for profile in profiles:
        for one in profile.columns:
            column = schema.column(profile.table, one.name)
            if column is not None and column.kind == "text" and not column.why_text:
                column.why_text = several_units(one.sample_values) or ""
    return schema


def verdict_on(
    work: RunContext,
    question: str,
    schema: Schema,
    profiles: Sequence[TableProfile] = (),
    *,
    tried: Tried | None = None,
) -> Verdict:
    """What the judge says about a question, or about a follow-up where the run has an earlier plan.

    Where something is left to guess the learned reader is asked as well, and one judge weighs what both say. What was
    run on the way is left in ``tried``.
    """
    kept: Tried = {} if tried is None else tried

    def run(compiled: CompiledPlan) -> pa.Table:
        return try_plan(work, compiled, kept)

    question, said_of = said_of_totals(question, schema)
    taught = schema.taught
    question, schema = without_preamble(question, schema)

    def about(verdict: Verdict, said: Choice | None = said_of) -> Verdict:
        return about_totals(verdict, run, said=said, chosen=lambda key: _chosen_totals(work, key))

    leans = "after" in work.state.meaning and not stands_alone(question, schema)
    earlier = work.state.meaning.get("after_plan") if leans else None
    # A follow-up leans on what was not confirmed, or on nothing.
    given = float(work.state.meaning.get("after_odds", 1.0)) if leans else 1.0
    if earlier is not None:
        leant = [(Plan.model_validate(plan), float(odds)) for plan, odds in work.state.meaning.get("after_open", ())]
        leant = leant or [(Plan.model_validate(earlier), given)]
        verdicts = [_followed(question, plan, schema, run, odds) for plan, odds in leant]
        return about(_together(verdicts))
    lattices: list[Lattice] = []
    candidates = read(question, schema, packaged_link(), lattices)
    verdict = judge(candidates, run, question=question, schema=schema, given=given, lattices=lattices)
    answered = verdict.kind == "answer"
    alone = leans or schema.taught != taught  # No other reader knows what this question leans on or defines.
    if not answered and _text_named(question, schema):
        return about(verdict)  # Another reader would compute something else than what cannot be computed.
    if verdict.blocked is not None or alone or verdict.is_plain or (answered and is_beyond_model(verdict.best)):
        return about(verdict)
    return about(_judged_with_model(work, question, schema, profiles, verdict, run))


def _judged_with_model(
    work: RunContext, question: str, schema: Schema, profiles: Sequence[TableProfile], verdict: Verdict, run: Run
) -> Verdict:
    """The verdict with what the learned reader says, where it is there."""
    from averment.llm.embedded import embedded_model

    model = embedded_model(work.services.settings.embedded_model)
    if model is None or not profiles:
        return verdict
    texts = {
        (column.table, column.name): tuple(map(str, column.values))
        for column in schema.columns
        if column.kind == "text" and column.values
    }
    relations = relations_between(work, profiles)
    card = card_of(profiles, relations, texts)
    with work.clock.spent_on("asking the learned reader"):
        heard = propose(
            model,
            card,
            question,
            names=names_of(profiles, relations, texts),
            catalog=work.catalog,
            check=lambda body: checked_plan(work, body),
            run=run,
        )
    return decided(verdict, heard, hints_of(card, question), _compact(question, schema, run) if heard.asked else [])


def _compact(question: str, schema: Schema, run: Run) -> list[Reading]:
    """What the compact grammar reads, where it can be run."""
    found = compact_grammar(question, schema)
    candidates = [Candidate(c.plan, c.read_back, c.score, c.left, c.weakest, (), c.tables) for c in found]
    try:
        return execute(candidates, run, most=4, tried=6)[0]
    except PolicyError:
        return []


def _followed(question: str, earlier: Plan, schema: Schema, run: Run, given: float) -> Verdict:
    """What the judge says of a follow-up to one plan."""
    lattices: list[Lattice] = []
    candidates = follow(question, earlier, schema, lattices)
    return judge(candidates, run, question=question, earlier=earlier, given=given, lattices=lattices)


def _chosen_totals(work: RunContext, key: str) -> Choice | None:
    """What was chosen before about a column's total rows, over the same schema."""
    kept = work.services.store.recipes.choices.find(work.catalog.fingerprint, key)
    return None if kept is None else kept.get("total_rows")


def _together(verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict on a follow-up: where what it leans on is open, the best readings after each of its offers."""
    first = verdicts[0]
    if len(verdicts) == 1 or first.kind == "answer" or first.blocked is not None:
        return first
    offers: dict[str, Reading] = {}
    for each in sorted((o for v in verdicts for o in v.offers), key=lambda o: (bool(o.candidate.left), -o.odds)):
        offers.setdefault(each.candidate.read_back, each)
    if not offers:
        return first
    kept = list(offers.values())[:MOST_OFFERS]
    return replace(first, kind="offer", offers=kept, best=kept[0], left=kept[0].candidate.left)


def try_plan(work: RunContext, compiled: CompiledPlan, tried: Tried) -> pa.Table:
    """The first rows that a plan gives, by a logged probe; one that was made before is not made again."""
    composed = compiled.compose(work.catalog.dialect)
    key = f"{composed.sql} {composed.params!r}"
    if key not in tried:
        tried[key] = work.queries.probe(composed.sql, composed.params, row_limit=2_000, timeout=10.0).table
    return tried[key]


def reading_of(
    plan: Plan,
    body: JsonObject,
    *,
    grade: str,
    odds: float | None,
    record: JsonObject,
) -> KeptReading:
    """What a run keeps of how it was read; ``body`` is what its skill works from."""
    said = read_back(plan)
    return {
        "skill": "plan",
        "in_words": said,
        "read_as": said,
        "unread": [],
        "alternatives": [],
        "reading": body,
        "grade": grade,
        "odds": odds,
        "judged": record,
    }


def rivals_of(verdict: Verdict) -> KeptReading:
    """What could be meant as well, in words and as it can be chosen."""
    rivals = [_offer(reading) for reading in verdict.rivals]
    return {"alternatives": [each["read_back"] for each in rivals], "rivals": rivals}


def offered(verdict: Verdict) -> list[KeptOffer]:
    """The readings on offer, each with its plan and what it gives."""
    return [_offer(reading) for reading in verdict.offers]


def _offer(reading: Reading) -> KeptOffer:
    return {
        "read_back": reading.candidate.read_back,
        "plan": reading.candidate.plan.to_json(),
        "odds": round(reading.odds, 4),
        "left": list(reading.candidate.left),
        "columns": list(reading.columns),
        "rows": reading.rows[:PREVIEW_ROWS],
        "row_count": len(reading.rows),
    }


def _text_named(question: str, schema: Schema) -> list[str]:
    """Why columns that a question names cannot be computed."""
    named = named_in([word for word, _, _ in tokens(question)], schema)
    return [f"`{column.name}` is text: {column.why_text}." for column in named]


def question_back(verdict: Verdict, schema: Schema, question: str) -> str:
    """What to ask: which words were not matched or cannot be computed, and the interpretations one can choose."""
    lost, totals = verdict.left, verdict.record.get("total_rows")
    unmatched = f"I could not match {_listed(lost)}." if lost else "This can mean more than one thing."
    if len(verdict.offers) == 1 and not lost:
        unmatched = "I am not sure that this is what you mean."
    linked = [span.text for span in verdict.offers[0].candidate.links] if verdict.offers else []
    if linked:
        unmatched = f"Nothing here is called {_listed(linked)}."
    if why := _text_named(question, schema):
        unmatched = " ".join(why)
    if totals:
        unmatched = totals_question(totals)
    if verdict.offers:
        said = [f"{offer.candidate.read_back}{_taken(offer)}{_without(offer)}" for offer in verdict.offers]
        lines = [f"{n}. {each}" for n, each in enumerate(said, start=1)]
        return "\n".join([f"{unmatched} Choose the interpretation you mean:", *lines])
    held = _held(schema)
    return f"{unmatched if lost or why else 'I could not interpret this over these data.'} The data contain {held}."


def _without(offer: Reading) -> str:
    """Which words of the question an offered reading does without."""
    left = offer.candidate.left
    return f" (leaves out {_listed(left)})" if left else ""


def _taken(offer: Reading) -> str:
    """What an offered reading takes words for that nothing is called by."""
    means = [f"“{span.text}” for {_meant(span)}" for span in offer.candidate.links]
    return f" (takes {', '.join(means)})" if means else ""


def _meant(span: Span) -> str:
    return str(span.data[1]) if span.type == "VALUE" else str(span.data.name)


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in words[:4])


def _held(schema: Schema) -> str:
    """What the tables are about, in a few names."""
    tables = sorted(schema.tables.values(), key=lambda table: -table.rows)[:4]
    parts: list[str] = []
    for table in tables:
        names = [c.name for c in table.columns if not c.has("key")][: 8 if len(tables) == 1 else 4]
        parts.append(f"{', '.join(names)} ({table.name}, {table.rows} rows)")
    return "; ".join(parts)


def checked_plan(work: RunContext, body: dict[str, Any]) -> Plan:
    """A plan that was handed in, if it can be run over these tables.

    Raises:
        InvalidArguments: it is no plan, or names what is not there.
    """
    try:
        plan = Plan.model_validate(body)
    except ValueError as error:
        raise InvalidArguments(f"This is not a plan: {error}.") from error
    known = {(table.name, column.name) for table in work.catalog.tables for column in table.columns}
    strange = sorted(f"{table}.{name}" for table, name in plan.columns() if (table, name) not in known)
    if strange or plan.table not in {table.name for table in work.catalog.tables}:
        named = ", ".join(strange) or plan.table
        raise InvalidArguments(f"The plan names something the sources do not have: {named}.")
    plan = Plan.model_validate(_with_rates(work, plan.to_json()))
    try:
        compile_plan(plan)
        read_back(plan)
    except (LookupError, TypeError, ValueError, AssertionError) as error:
        raise InvalidArguments("The plan refers to a key or a value that it does not define.") from error
    return plan


def _with_rates(work: RunContext, body: Any) -> Any:
    """A plan's JSON with what must hold in each rate: the yes of the column that it is of, where it has no ``where``.

    Raises:
        InvalidArguments: a rate says neither what must hold nor which column says yes or no, or both.
    """
    if isinstance(body, list):
        return [_with_rates(work, each) for each in cast("list[Any]", body)]
    if not isinstance(body, dict):
        return body
    made = {key: _with_rates(work, each) for key, each in cast("dict[str, Any]", body).items()}
    if made.get("function") == "rate" and (made.get("of") or not made.get("where")):
        hint = "Give what must hold in `where`, or a column of yes and no in `of`."
        if made.get("where"):
            raise InvalidArguments("A rate takes `of` or `where`, not both.", hint=hint)
        of = Value.model_validate(made.pop("of", None) or {})
        column = _column_of(work, of)
        if column is None or not column.has("flag"):
            named = f"{of.column} is not a column of yes and no" if of.column else "it has neither `where` nor `of`"
            raise InvalidArguments(f"A rate needs to know which rows count; {named}.", hint=hint)
        made["where"] = [Test(value=of, to=(column.true_value,)).model_dump(mode="json")]
    return made


def _column_of(work: RunContext, value: Value) -> Column | None:
    """A bare column as the reader sees it; None for any other value."""
    table = next((each for each in work.catalog.tables if each.name == value.table), None)
    if value.kind != "column" or value.column is None or table is None:
        return None
    work.gate.check_columns(frozenset({(table.name, value.column)}))
    return read_table(profile_table(work, table, [value.column]), {}).columns[0]
