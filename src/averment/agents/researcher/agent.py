"""The researcher as the runtime sees it: plans sub-questions, searches round by round, concludes and tells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

from averment import plugins
from averment.agents.researcher.conclude import conclude, nothing_found
from averment.agents.researcher.credibility import judge_source, trust_of
from averment.agents.researcher.model_loop.loop import MODEL_KIND, ReadingLoop, narrative_of, taken_words
from averment.agents.researcher.planner import plan_of, plan_questions
from averment.agents.researcher.questions import SURVEY, ResearchQuestion, plan_id_of, request_of
from averment.agents.researcher.recall import PassageReader, QuestionReading
from averment.agents.researcher.report import tell, write_document
from averment.agents.researcher.report_schema import report_record
from averment.agents.researcher.result import section_of
from averment.agents.researcher.rounds import next_round, search_task, take_round, words_of
from averment.agents.researcher.sources import SourceSurvey, ranks_by_words, read_sources, survey, visible
from averment.errors import InvalidRequest
from averment.records.analysis import Plan, Subtask
from averment.records.base import derived_id, utc_now
from averment.records.research.plan import SubQuestion
from averment.records.research.request import ResearchRequest, ResearchStatus
from averment.records.research.sources import SearchResult
from averment.records.run import Observation, ToolCall
from averment.runtime.decisions import ArtifactDraft, Conclusion, Planned, Round
from averment.settings import WEB_PROVIDERS

if TYPE_CHECKING:
    from averment.corpus.corpus import Corpus
    from averment.records.research.run import ResearchRun
    from averment.reports.document import Document
    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import KeptReading, KeptRound
    from averment.runtime.services import Services


_CONTENT, _TITLE, _RESULTS = 10_000, 200, 10


def keep_plan(work: RunContext, questions: tuple[ResearchQuestion, ...]) -> None:
    """Keep the request and its plan."""
    from averment.store.corpus.research import ResearchStore

    store, request = ResearchStore(work.services.store.database), request_of(work)
    store.put_request(request.as_seed())
    store.put_plan(plan_of(request, questions))


def keep_refusal(work: RunContext) -> None:
    """Keep a request that the sources do not answer, as what it is."""
    from averment.store.corpus.research import ResearchStore

    ResearchStore(work.services.store.database).put_request(request_of(work).as_seed().moved(ResearchStatus.FAILED))


def keep_status(work: RunContext, status: ResearchStatus) -> None:
    """Keep how far a research is, while it happens; nothing once the run rests."""
    if work.services.store.runs.get(work.run_id).status != "executing":
        return
    from averment.store.corpus.research import ResearchStore

    request = request_of(work).as_seed()
    for step in (ResearchStatus.EXECUTING, ResearchStatus.VERIFYING, ResearchStatus.SYNTHESIZING):
        request = request.moved(step)
        if step == status:
            break
    ResearchStore(work.services.store.database).put_request(request)


def keep_end(services: Services, run_id: str) -> None:
    """Keep that a research ended without a report: its run failed, was cancelled or was interrupted."""
    from averment.store.corpus.research import ResearchStore

    store = ResearchStore(services.store.database)
    request = store.get_request(UUID(run_id))
    if request is not None and request.status is not ResearchStatus.FAILED:
        # What was kept while the report was written ends with it: a report that cannot be sealed completes nothing.
        begun = request.changed(status=ResearchStatus.PLANNING, completion_time_seconds=None)
        store.put_request(begun.moved(ResearchStatus.FAILED))


def keep_report(work: RunContext, reader: PassageReader, conclusion: Conclusion) -> None:
    """Keep what was found and told; nothing once the run rests."""
    if work.services.store.runs.get(work.run_id).status != "executing":
        return
    from averment.store.corpus.research import ResearchStore

    store, request = ResearchStore(work.services.store.database), request_of(work)
    reads = reader.read_all(work)
    for read in reads:
        store.put_question(_question(work, read))
    narrative = narrative_of(work, reader)
    # A fact first without its discrepancy: the two name each other, and putting the discrepancy marks its facts.
    bare = [
        (read.question.title, each.fact)
        for read in reads
        for one in read.facts
        for each in (one.carried, one)
        if each is not None
    ]
    store.put_facts(fact.changed(section=title, discrepancy_id=None) for title, fact in bare)
    for resolved in narrative.conflicts:
        store.put_discrepancy(resolved.discrepancy)
    if conclusion.findings and narrative.sections:
        report, citations = report_record(request, narrative)
        store.put_report(report, citations)
    finished = conclusion.status in {"completed", "partial_success"}
    store.put_request(_moved(request.as_seed(), finished=finished))


def _moved(request: ResearchRequest, *, finished: bool) -> ResearchRequest:
    """The request where the run has come to, step by step along its table."""
    if not finished:
        return request.moved(ResearchStatus.FAILED)
    for status in (ResearchStatus.EXECUTING, ResearchStatus.VERIFYING, ResearchStatus.SYNTHESIZING):
        request = request.moved(status)
    seconds = max(0.0, (utc_now() - request.created_at).total_seconds())
    return request.moved(ResearchStatus.COMPLETED, seconds=seconds)


def _question(work: RunContext, read: QuestionReading) -> SubQuestion:
    results: list[SearchResult] = []
    for source in read.sources:
        facts = [one.fact.id for one in read.facts if one.passage.snapshot_sha256 == source.snapshot_sha256]
        quoted = [one.passage for one in read.facts if one.passage.snapshot_sha256 == source.snapshot_sha256]
        passages = [one for one in read.passages if one.snapshot_sha256 == source.snapshot_sha256] or quoted
        if not passages:
            continue
        results.append(
            SearchResult.model_validate(
                {
                    "id": derived_id(read.question.id, source.document_id),
                    "sub_question_id": UUID(read.question.id),
                    "url": source.url,
                    "title": source.title[:_TITLE] or source.url[:_TITLE],
                    "content": "\n\n".join(one.text for one in passages)[:_CONTENT],
                    "domain": source.domain,
                    "access_timestamp": source.accessed_at,
                    "credibility_score": judge_source(source.domain, source.url, trust_of(work)),
                    "extracted_facts": facts,
                }
            )
        )
    # What is quoted comes first: the contract keeps ten results of a question.
    results.sort(key=lambda one: not one.extracted_facts)
    results = results[:_RESULTS]
    status = "completed" if read.answered else "failed"
    return read.question.as_seed(plan_id_of(work.run_id), status=status, search_results=results)


_LOOKED_AT = 20
_MOST_WORDS = 5
_NO_THEME = re.compile(
    r"references?|footnotes?|copyright|acknowledge?ments?|abstract|summary|introduction|overview|contents|appendix.*|"
    r"notes?|links|see also|examples?|changelog|history|preface|index|further reading|external links|bibliography",
    re.IGNORECASE,
)


def headings_of(work: RunContext, found: SourceSurvey, query: str) -> tuple[str, ...]:
    """The headings above the best passages, those of most documents first; no title, and none that names no theme."""
    pins = {one.snapshot_sha256: one for one in found.pins}
    asked = " ".join(re.findall(r"\w+", query.lower()))
    counts: Counter[str] = Counter()
    documents: dict[str, set[str]] = {}
    for hit in found.hits[:_LOOKED_AT]:
        source = pins.get(hit.snapshot_sha256)
        path = section_of(work, source, hit.start) if source is not None else ()
        if len(path) < 2:
            continue  # The first heading is the document's own title.
        heading = " ".join(path[1].split()).strip(" :.")
        plain = " ".join(re.findall(r"\w+", heading.lower()))
        if plain and plain not in asked and len(plain.split()) <= _MOST_WORDS and not _NO_THEME.fullmatch(heading):
            counts[heading] += 1
            documents.setdefault(heading, set()).add(hit.snapshot_sha256)
    # What several documents have a heading for is a theme of the matter and not of one of them.
    return tuple(sorted(counts, key=lambda name: (-len(documents[name]), -counts[name], name)))


_WEB_SECONDS = 3.0
_NEAREST = 3


class Researcher:
    """Finds out what sources say and where they disagree."""

    kind: Literal["analysis", "drilldown", "research", "chat"] = "research"

    def __init__(self, loop: ReadingLoop | None = None) -> None:
        self._reader = PassageReader()
        self._loop = loop

    def plan(self, work: RunContext) -> Planned:
        """Read the sources that were named, and divide the question; abstain where nothing speaks of it.

        Raises:
            InvalidRequest: there is no provider of a name.
        """
        from averment.corpus.providers.choose import open_fetcher

        request = request_of(work)
        web = check_providers(request.providers)
        corpus = work.services.texts.corpus
        read = read_sources(corpus, request.corpus, open_fetcher(work.services.settings)) if request.corpus else []
        by_words = ranks_by_words(work)
        check_corpora(corpus, request.corpora)
        local = not web or "corpus" in request.providers or bool(request.corpus or request.corpora)
        kept: KeptReading = {"read": read, "trust": work.services.settings.trust}
        work.state.reading = kept
        work.cancel.check()
        seen = visible(work)
        found = survey(corpus, request.intent, seen, by_words=by_words) if local else SourceSurvey((), ())
        kept |= {
            "in_words": f"what the sources say: {request.intent}",
            "corpus": {"documents": len(seen)},
            "by_words": by_words,
            "nearest": list(dict.fromkeys(hit.title for hit in found.hits))[:_NEAREST],
        }
        if not web and not found.hits:
            work.state.reading = kept
            keep_refusal(work)
            return Planned(outcome="abstained", reading=kept, message=nothing_found(work))
        work.cancel.check()
        questions = plan_questions(request, found, headings_of(work, found, request.intent))
        kept["questions"] = [question.model_dump(mode="json") for question in questions]
        kept["plan"] = plan_of(request, questions).model_dump(mode="json", exclude={"sub_questions"})
        keep_plan(work, questions)
        plan = Plan.of(
            plan_id=plan_id_of(work.run_id),
            request_id=work.run_id,
            subtasks=_tasks(request, questions, found, web),
            reasoning=f"{len(questions)} sub-questions, those the sources have something to say on.",
        )
        return Planned(outcome="planned", reading=kept, plan=plan.model_dump(mode="json"))

    def repair(self, work: RunContext, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
        """Nothing: a search of pinned sources fails only where the archive does, and would fail again."""
        return None

    def next_round(self, work: RunContext, number: int) -> Round | None:
        """The pages to read, the next question, a step of a model that reads along, or None when all is done."""
        decided = next_round(work, self._reader, number)
        if decided is not None or self._loop is None:
            return decided
        return self._loop.next_round(work, self._reader, number)

    def take_round(self, work: RunContext, round_: Round) -> KeptRound:
        """The facts and conflicts that a round brought."""
        keep_status(work, ResearchStatus.EXECUTING)
        if round_.state.get("kind") == MODEL_KIND:
            return {"finding": {"summary": taken_words(round_.state)}}
        return take_round(work, self._reader, round_)

    def conclude(self, work: RunContext) -> Conclusion:
        """Every sentence of the report bound to its span, and the answer."""
        keep_status(work, ResearchStatus.VERIFYING)
        return conclude(work, self._reader)

    def report(self, work: RunContext, conclusion: Conclusion) -> tuple[ArtifactDraft, ...]:
        """Report, its structure, and the summary, as far as they were asked for; kept in the research tables too."""
        keep_status(work, ResearchStatus.SYNTHESIZING)
        drafts = tell(work, self._reader, conclusion)
        keep_report(work, self._reader, conclusion)
        return drafts

    def learn(self, work: RunContext) -> None:
        """Nothing: what was read is in the corpus."""

    def ended_badly(self, services: Services, run_id: str) -> None:
        """The request is failed too: no report will come."""
        keep_end(services, run_id)

    def document(self, work: RunContext, conclusion: Conclusion) -> Document:
        """The report before it has a format, for exports."""
        return write_document(work, self._reader, conclusion)


def check_providers(names: Sequence[str]) -> list[str]:
    """The providers beyond this machine that were asked for, each once.

    Raises:
        InvalidRequest: there is no provider of a name.
    """
    known = (*WEB_PROVIDERS, *plugins.names("providers", WEB_PROVIDERS))
    unknown = [name for name in names if name != "corpus" and name not in known]
    if unknown:
        raise InvalidRequest(
            f"Unknown search provider: {unknown[0][:40]!a}.", hint=f"Known: corpus, {', '.join(known)}."
        )
    return [name for name in dict.fromkeys(names) if name != "corpus"]


def check_corpora(corpus: Corpus, names: Sequence[str]) -> None:
    """Nothing, if there are corpora of these names.

    Raises:
        InvalidRequest: there is none of a name.
    """
    known = dict(corpus.members.names()) if names else {}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InvalidRequest(
            f"There is no corpus {unknown[0][:80]!a}.", hint=f"Existing corpora: {', '.join(known) or 'none yet'}."
        )


def _tasks(
    request: ResearchRun, questions: tuple[ResearchQuestion, ...], found: SourceSurvey, web: list[str]
) -> tuple[Subtask, ...]:
    tasks: list[Subtask] = []
    narrowing = {name: value for name, value in request.narrowing.model_dump().items() if value is not None}
    if found.pins:
        tasks.append(search_task(SURVEY, request.intent, request.intent, found.pins))
    for provider in web:
        for question in questions:
            tasks.append(
                Subtask(
                    task_id=f"web_{provider}_{question.priority:02d}",
                    description=f"Ask {provider}: {question.text}",
                    tool_name="search.web",
                    estimated_cost_seconds=_WEB_SECONDS,
                    arguments={"query": words_of(question), "provider": provider, **narrowing},
                )
            )
    return tuple(tasks)
