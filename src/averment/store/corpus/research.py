"""The research of the researcher contract in the database: requests, plans, sources, facts, discrepancies and reports.

Putting a record again replaces it, since statuses move and facts get verified; a repeated step changes nothing. Records
are put in the order they come to be: a request before its plan, a source before its facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias
from uuid import UUID

from sqlalchemy import Connection, RowMapping, Table, select

from averment.records.base import Record
from averment.records.research.citations import CitationLink
from averment.records.research.plan import ResearchPlan, SubQuestion
from averment.records.research.report import NarrativeReport, ReportSection
from averment.records.research.request import ResearchRequest
from averment.records.research.sources import Discrepancy, Fact, SearchResult
from averment.store.db.database import Database
from averment.store.db.text import from_json, to_json
from averment.store.schema.research_tables import (
    CITATION_LINKS,
    DISCREPANCIES,
    FACT_DISCREPANCIES,
    FACTS,
    NARRATIVE_REPORTS,
    REPORT_SECTIONS,
    RESEARCH_PLANS,
    RESEARCH_REQUESTS,
    SEARCH_RESULTS,
    SECTION_FACTS,
    SUB_QUESTIONS,
)

Requests: TypeAlias = list[ResearchRequest]


class ResearchStore:
    """All research of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._insert = database.insert

    def put_request(self, request: ResearchRequest) -> None:
        """Keep a request, in place of its earlier state."""
        with self._database.write() as connection:
            self._put(connection, RESEARCH_REQUESTS, [_row(request)])

    def get_request(self, request_id: UUID) -> ResearchRequest | None:
        """The request of that id, or None."""
        with self._database.read() as connection:
            row = _first(connection, RESEARCH_REQUESTS, RESEARCH_REQUESTS.c.id == str(request_id))
        return None if row is None else ResearchRequest.model_validate(dict(row))

    def list(self, limit: int = 50, offset: int = 0) -> Requests:
        """Requests, the newest first."""
        table = RESEARCH_REQUESTS
        query = select(table).order_by(table.c.created_at.desc(), table.c.id).limit(limit).offset(offset)
        return [ResearchRequest.model_validate(dict(row)) for row in self._database.rows(query)]

    def delete(self, request_id: UUID) -> bool:
        """Forget a request with its plan, results, facts and report; whether there was one. The corpus stays."""
        settled = [str(one.id) for one in self.discrepancies(request_id)]
        with self._database.write() as connection:
            # A discrepancy names no request: only its facts lead to one.
            connection.execute(DISCREPANCIES.delete().where(DISCREPANCIES.c.id.in_(settled)))
            gone = RESEARCH_REQUESTS.delete().where(RESEARCH_REQUESTS.c.id == str(request_id))
            return connection.execute(gone.returning(RESEARCH_REQUESTS.c.id)).first() is not None

    def put_plan(self, plan: ResearchPlan) -> None:
        """Keep a plan with its questions, and with what was found for each."""
        with self._database.write() as connection:
            self._put(connection, RESEARCH_PLANS, [_row(plan, without={"sub_questions"})])
            # A parent comes before its children, whatever the plan's order, for the foreign key.
            numbered = sorted(enumerate(plan.sub_questions), key=lambda pair: (pair[1].depth, pair[0]))
            for position, question in numbered:
                self._put_question(connection, question, position)

    def put_question(self, question: SubQuestion) -> None:
        """Keep a question, of the plan itself or one that grew from another, with what was found for it."""
        with self._database.write() as connection:
            there = _first(connection, SUB_QUESTIONS, SUB_QUESTIONS.c.id == str(question.id))
            self._put_question(connection, question, None if there is None else there["position"])

    def get_plan(self, request_id: UUID) -> ResearchPlan | None:
        """The plan of a request as it was made, its questions in their present state; None before it is made."""
        with self._database.read() as connection:
            row = _first(connection, RESEARCH_PLANS, RESEARCH_PLANS.c.request_id == str(request_id))
            if row is None:
                return None
            questions = _questions(connection, row["id"], planned=True)
        return ResearchPlan.model_validate({**row, "sub_questions": questions})

    def questions(self, request_id: UUID) -> tuple[SubQuestion, ...]:
        """All questions of a request: the plan's in order, then those that grew, by depth and priority."""
        with self._database.read() as connection:
            row = _first(connection, RESEARCH_PLANS, RESEARCH_PLANS.c.request_id == str(request_id))
            return () if row is None else _questions(connection, row["id"], planned=False)

    def put_result(self, result: SearchResult) -> None:
        """Keep one source that was read for a question, after those that are there."""
        with self._database.write() as connection:
            there = _rows(connection, SEARCH_RESULTS, SEARCH_RESULTS.c.sub_question_id == str(result.sub_question_id))
            own = [row["position"] for row in there if row["id"] == str(result.id)]
            self._put(connection, SEARCH_RESULTS, [_result_row(result, own[0] if own else len(there))])

    def results(self, request_id: UUID) -> tuple[SearchResult, ...]:
        """All sources that were read for a request, question by question."""
        return tuple(result for question in self.questions(request_id) for result in question.search_results)

    def put_facts(self, facts: Iterable[Fact]) -> None:
        """Keep facts; the discrepancy a fact names must be there already."""
        with self._database.write() as connection:
            self._put(connection, FACTS, [_row(fact) for fact in facts])

    def facts(self, request_id: UUID) -> tuple[Fact, ...]:
        """The facts of a request, by time and id."""
        query = (
            select(FACTS)
            .join(SEARCH_RESULTS, SEARCH_RESULTS.c.id == FACTS.c.source_id)
            .join(SUB_QUESTIONS, SUB_QUESTIONS.c.id == SEARCH_RESULTS.c.sub_question_id)
            .join(RESEARCH_PLANS, RESEARCH_PLANS.c.id == SUB_QUESTIONS.c.plan_id)
            .where(RESEARCH_PLANS.c.request_id == str(request_id))
            .order_by(FACTS.c.extraction_timestamp, FACTS.c.id)
        )
        return tuple(Fact.model_validate(dict(row)) for row in self._database.rows(query))

    def put_discrepancy(self, discrepancy: Discrepancy) -> None:
        """Keep a discrepancy and mark its facts with it; the facts must be there already."""
        with self._database.write() as connection:
            self._put(connection, DISCREPANCIES, [_row(discrepancy, without={"fact_ids"})])
            own = FACT_DISCREPANCIES.c.discrepancy_id == str(discrepancy.id)
            connection.execute(FACT_DISCREPANCIES.delete().where(own))
            rows = [
                {"fact_id": str(fact_id), "discrepancy_id": str(discrepancy.id), "position": position}
                for position, fact_id in enumerate(discrepancy.fact_ids)
            ]
            connection.execute(FACT_DISCREPANCIES.insert(), rows)
            marked = FACTS.c.id.in_([row["fact_id"] for row in rows])
            connection.execute(FACTS.update().where(marked).values(discrepancy_id=str(discrepancy.id)))

    def discrepancies(self, request_id: UUID) -> tuple[Discrepancy, ...]:
        """The discrepancies among the facts of a request, by time and id."""
        own = {str(fact.id) for fact in self.facts(request_id)}
        with self._database.read() as connection:
            links = connection.execute(select(FACT_DISCREPANCIES).order_by(FACT_DISCREPANCIES.c.position)).mappings()
            facts_of: dict[str, list[str]] = {}
            for link in links:
                facts_of.setdefault(link["discrepancy_id"], []).append(link["fact_id"])
            query = select(DISCREPANCIES).order_by(DISCREPANCIES.c.created_at, DISCREPANCIES.c.id)
            rows = connection.execute(query).mappings().all()
        return tuple(
            Discrepancy.model_validate({**row, "fact_ids": facts_of[row["id"]]})
            for row in rows
            if own.intersection(facts_of.get(row["id"], ()))
        )

    def put_report(self, report: NarrativeReport, citations: Iterable[CitationLink] = ()) -> None:
        """Keep a report with its sections and citations; the facts they name must be there already."""
        with self._database.write() as connection:
            self._put(connection, NARRATIVE_REPORTS, [_row(report, without={"sections"})])
            own = REPORT_SECTIONS.c.report_id == str(report.id)
            connection.execute(REPORT_SECTIONS.delete().where(own))
            for section in report.sections:
                connection.execute(REPORT_SECTIONS.insert(), [_row(section, without={"fact_ids"})])
                rows = [
                    {"section_id": str(section.id), "fact_id": str(fact_id), "citation_order": place}
                    for place, fact_id in enumerate(section.fact_ids)
                ]
                if rows:
                    connection.execute(SECTION_FACTS.insert(), rows)
            self._put(connection, CITATION_LINKS, [_row(link) for link in citations], keys=("fact_id", "source_url"))

    def get_report(self, request_id: UUID) -> NarrativeReport | None:
        """The report of a request, or None before it is written."""
        with self._database.read() as connection:
            row = _first(connection, NARRATIVE_REPORTS, NARRATIVE_REPORTS.c.request_id == str(request_id))
            if row is None:
                return None
            sections = [
                _section(connection, section)
                for section in sorted(
                    _rows(connection, REPORT_SECTIONS, REPORT_SECTIONS.c.report_id == row["id"]),
                    key=lambda section: section["order"],
                )
            ]
        return NarrativeReport.model_validate({**row, "sections": sections})

    def citations_of_fact(self, fact_id: UUID) -> tuple[CitationLink, ...]:
        """The sources that carry a fact, by address."""
        return self._citations(CITATION_LINKS.c.fact_id == str(fact_id))

    def citations_of_source(self, source_url: str) -> tuple[CitationLink, ...]:
        """The facts a source carries, by id."""
        return self._citations(CITATION_LINKS.c.source_url == source_url)

    def _citations(self, condition: Any) -> tuple[CitationLink, ...]:
        with self._database.read() as connection:
            found = [CitationLink.model_validate(dict(row)) for row in _rows(connection, CITATION_LINKS, condition)]
        return tuple(sorted(found, key=lambda link: (link.source_url, str(link.fact_id))))

    def _put_question(self, connection: Connection, question: SubQuestion, position: int | None) -> None:
        row = {**_row(question, without={"search_results"}), "position": position}
        self._put(connection, SUB_QUESTIONS, [row])
        results = [_result_row(result, place) for place, result in enumerate(question.search_results)]
        self._put(connection, SEARCH_RESULTS, results)

    def _put(
        self, connection: Connection, table: Table, rows: Sequence[dict[str, Any]], keys: tuple[str, ...] = ("id",)
    ) -> None:
        """Insert rows or replace what their keys hold, without deleting what refers to them."""
        for row in rows:
            adding = self._insert(table).values(row)
            changed = {name: value for name, value in row.items() if name not in keys}
            connection.execute(adding.on_conflict_do_update(index_elements=list(keys), set_=changed))


def _row(record: Record, *, without: set[str] | None = None) -> dict[str, Any]:
    """A record as database values: ids and times as text."""
    return record.model_dump(mode="json", exclude=without)


def _result_row(result: SearchResult, position: int) -> dict[str, Any]:
    row = _row(result)
    return {**row, "extracted_facts": to_json(row["extracted_facts"]), "position": position}


def _first(connection: Connection, table: Table, condition: Any) -> RowMapping | None:
    return connection.execute(select(table).where(condition)).mappings().first()


def _rows(connection: Connection, table: Table, condition: Any) -> Sequence[RowMapping]:
    return connection.execute(select(table).where(condition)).mappings().all()


def _questions(connection: Connection, plan_id: str, *, planned: bool) -> tuple[SubQuestion, ...]:
    rows = [dict(row) for row in _rows(connection, SUB_QUESTIONS, SUB_QUESTIONS.c.plan_id == plan_id)]
    if planned:
        rows = [row for row in rows if row["position"] is not None]
    rows.sort(key=lambda row: (row["position"] is None, row["position"] or 0, row["depth"], row["priority"], row["id"]))
    questions: list[SubQuestion] = []
    for row in rows:
        found = sorted(
            _rows(connection, SEARCH_RESULTS, SEARCH_RESULTS.c.sub_question_id == row["id"]),
            key=lambda result: (result["position"], result["id"]),
        )
        results = [
            {name: value for name, value in result.items() if name != "position"}
            | {"extracted_facts": from_json(result["extracted_facts"])}
            for result in found
        ]
        del row["position"]
        questions.append(SubQuestion.model_validate({**row, "search_results": results}))
    return tuple(questions)


def _section(connection: Connection, row: RowMapping) -> ReportSection:
    links = _rows(connection, SECTION_FACTS, SECTION_FACTS.c.section_id == row["id"])
    fact_ids = [link["fact_id"] for link in sorted(links, key=lambda link: link["citation_order"])]
    return ReportSection.model_validate({**row, "fact_ids": fact_ids})
