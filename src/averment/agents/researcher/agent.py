"""The researcher as the runtime sees it: plans sub-questions, searches round by round, concludes and tells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from averment import plugins
from averment.agents.researcher.conclude import conclude, nothing_found
from averment.agents.researcher.headings import headings_of
from averment.agents.researcher.mirror import keep_end, keep_plan, keep_refusal, keep_report, keep_status
from averment.agents.researcher.model_loop.loop import MODEL_KIND, ReadingLoop, taken_words
from averment.agents.researcher.planner import plan_of, plan_questions
from averment.agents.researcher.questions import SURVEY, ResearchQuestion, plan_id_of, request_of
from averment.agents.researcher.recall import PassageReader
from averment.agents.researcher.report import tell, write_document
from averment.agents.researcher.rounds import next_round, search_task, take_round, words_of
from averment.agents.researcher.sources import SourceSurvey, ranks_by_words, read_sources, survey, visible
from averment.errors import InvalidRequest
from averment.records.analysis import Plan, Subtask
from averment.records.research.request import ResearchStatus
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
