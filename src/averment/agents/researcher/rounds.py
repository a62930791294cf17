"""The rounds of a research: pages are read where the web was asked for, then one round for each question.

Every round pins the sources it searches as they are archived at that moment. Questions that grow from what was found
come after the plan's own, no deeper than the depth that was asked for allows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from averment.agents.researcher.answered import answer_task
from averment.agents.researcher.facets import is_topic, topic_of
from averment.agents.researcher.model_loop.tools import wanted_questions
from averment.agents.researcher.planner import is_whole_name
from averment.agents.researcher.questions import (
    MAIN,
    OTHERS,
    PROPOSED,
    ResearchQuestion,
    asked_questions,
    make_question,
    plan_id_of,
    planned_questions,
    request_of,
)
from averment.agents.researcher.recall import PassageReader, QuestionReading
from averment.agents.researcher.sources import MOST_SOURCES, pin, survey, visible
from averment.language.claims.names import find_names, same_name
from averment.records.analysis import Subtask
from averment.records.research.plan import QuestionTree
from averment.records.research.request import DepthLevel
from averment.runtime.decisions import Round
from averment.tools.page_read import PageReadOutput
from averment.tools.search_corpus import PinnedSource
from averment.tools.search_web import SearchWebOutput

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import KeptRound


READ_PAGES = "read_pages"
"""How the ids of tasks that read pages begin."""
ASK_WEB, READ = "ASK_WEB", "READ"
_WEB_FOLLOW_PAGES = 4
_WEB_FOLLOW_SEARCH_SECONDS, _PAGE_SECONDS = 2.0, 5.0

Named = tuple[str, ResearchQuestion]
"""A name, and the question whose facts speak of it."""


def read_task(task_id: str, addresses: Sequence[str]) -> Subtask:
    """The reading of pages."""
    return Subtask(
        task_id=task_id,
        description=f"Fetch and archive {len(addresses)} pages",
        tool_name="page.read",
        estimated_cost_seconds=_PAGE_SECONDS,
        arguments={"addresses": list(addresses)},
    )


def pages_read(work: RunContext) -> list[PageReadOutput]:
    """What every reading of pages brought, in the order of the tasks."""
    return [
        PageReadOutput.model_validate(observation.data)
        for task_id, (_, observation) in sorted(work.state.answered.items())
        if task_id.startswith(READ_PAGES)
    ]


def followed_names(work: RunContext) -> list[str]:
    """The names that providers were asked about."""
    return [str(round_.state["follow"]) for round_ in work.state.rounds if round_.decision == ASK_WEB]


def followed(
    work: RunContext, number: int, names: Sequence[Named], most: int, topic: str
) -> Round | ResearchQuestion | None:
    """The next step on the web: asking about the first of ``names``, reading what was found, or the question itself.

    Nothing where no provider was asked for, or ``most`` names were followed.
    """
    providers = [name for name in request_of(work).providers if name != "corpus"]
    if not providers:
        return None
    last = work.state.rounds[-1] if work.state.rounds else None
    if last is not None and last.decision == ASK_WEB:
        fresh = _fresh(work, last)
        if fresh:
            task = read_task(f"{READ_PAGES}_{number:02d}", fresh)
            reason = f"providers name {len(fresh)} pages"
            return Round(
                number=number, decision=READ, reason=reason, tasks=(task,), state={**last.state, "kind": "pages"}
            )
    elif last is not None and last.decision == READ and "follow" in last.state and _brought(work, last):
        return _question(work, str(last.state["follow"]), str(last.state["parent"]))
    if not names or len(followed_names(work)) >= most:
        return None
    name, parent = names[0]
    tasks = tuple(
        Subtask(
            task_id=f"web_{provider}_follow_{number:02d}",
            description=f"Ask {provider}: {name}",
            tool_name="search.web",
            estimated_cost_seconds=_WEB_FOLLOW_SEARCH_SECONDS,
            arguments={"query": f"{name} {topic}"[:300], "provider": provider},
        )
        for provider in providers
    )
    reason = f"what was read speaks of {name}, and no source is about it"
    state = {"follow": name, "parent": parent.id, "kind": "ask"}
    return Round(number=number, decision=ASK_WEB, reason=reason, tasks=tasks, state=state)


def _fresh(work: RunContext, asked: Round) -> list[str]:
    """The addresses that a round found and that no page was read of yet."""
    mine = {task.task_id for task in asked.tasks}
    known: set[str] = set()
    found: list[str] = []
    for task_id, (call, observation) in sorted(work.state.answered.items()):
        if call.tool_name == "search.web" and task_id in mine:
            found += [page.url for page in SearchWebOutput.model_validate(observation.data).pages]
        elif task_id.startswith(READ_PAGES):
            known.update(str(one) for one in call.arguments.get("addresses", ()))
    return [url for url in dict.fromkeys(found) if url not in known][:_WEB_FOLLOW_PAGES]


def _brought(work: RunContext, read: Round) -> bool:
    answered = work.state.answered.get(read.tasks[0].task_id) if read.tasks else None
    return answered is not None and bool(PageReadOutput.model_validate(answered[1].data).pages)


def _question(work: RunContext, name: str, parent_id: str) -> ResearchQuestion | None:
    asked = asked_questions(work)
    parent = next((one for one in asked if one.id == parent_id), None)
    if parent is None:
        return None
    question = make_question(
        work.run_id,
        f"What do the sources say about {name}?",
        facet="name",
        title=name[:60],
        reading=name[:300],
        priority=min(10, 1 + sum(one.parent_id == parent_id for one in asked)),
        parent=parent,
    )
    plan_id = plan_id_of(work.run_id)
    tree = QuestionTree(one.as_seed(plan_id) for one in asked)
    tree.insert(question.as_seed(plan_id))  # Refuses a circle, a lost parent and a wrong depth.
    return question


_PASSAGES, _PASSAGES_OF_A_TOPIC = 12, 24
_PAGES = 20
_FOLLOWED = {DepthLevel.QUICK: 1, DepthLevel.STANDARD: 2, DepthLevel.COMPREHENSIVE: 4}
_SEARCH_SECONDS = 0.5


def next_round(work: RunContext, reader: PassageReader, number: int) -> Round | None:
    """The pages to read, the next question of the plan, or one that grew from the answers; None when all are asked."""
    addresses = _addresses(work)
    if number == 1 and addresses:
        return _read_pages(number, addresses)
    asked = {question.id for question in asked_questions(work)}
    waiting = [question for question in planned_questions(work) if question.id not in asked]
    question = waiting[0] if waiting else _grown(work, reader)
    if question is None:
        further = _further(work, reader, number)
        if isinstance(further, Round):
            return further
        question = further or next(iter(wanted_questions(work)), None)
    if question is None:
        return None
    words = question.reading if question.depth else words_of(question)
    seen = visible(work)
    found = survey(work.services.texts.corpus, words, seen, by_words=bool(work.state.reading.get("by_words")))
    wide = question.facet != MAIN and is_topic(request_of(work).intent)
    pins = _with_pages(work, _likely(work, reader, question, seen, found.pins) if wide else found.pins)
    reason = f"{len(pins)} archived sources may speak of it" if pins else "no archived source speaks of it"
    most = _PASSAGES_OF_A_TOPIC if wide else _PASSAGES
    tasks = (search_task(question.task_id, question.text, question.reading, pins, most),) if pins else ()
    if question.facet == MAIN:
        answering = answer_task(work, question, seen, after=tasks)
        tasks += () if answering is None else (answering,)
    decision = "SEARCH" if question.depth == 0 else "FOLLOW_UP"
    state = {"question": question.model_dump(mode="json")}
    return Round(number=number, decision=decision, reason=f"{question.text} {reason}", tasks=tasks, state=state)


def _likely(
    work: RunContext,
    reader: PassageReader,
    question: ResearchQuestion,
    seen: frozenset[str],
    found: tuple[PinnedSource, ...],
) -> tuple[PinnedSource, ...]:
    """The documents that a side of a topic is searched in: those found, and the others most likely to speak of it.

    For what further sources say they are those that no earlier question quoted.
    """
    by_words = bool(work.state.reading.get("by_words"))
    likely = work.services.texts.corpus.likely_documents(
        question.reading, 2 * MOST_SOURCES, by_words=by_words, within=seen
    )
    if question.facet != OTHERS:
        first = [one.document_id for one in found]
        return pin(work.services.texts.corpus, dict.fromkeys((*first, *likely)), most=MOST_SOURCES)
    reads = [reader.read(work, one) for one in asked_questions(work)]
    quoted = {fact.passage.snapshot_sha256 for read in reads for fact in read.facts}
    pins = pin(work.services.texts.corpus, likely, most=2 * MOST_SOURCES)
    return tuple(one for one in pins if one.snapshot_sha256 not in quoted)[:MOST_SOURCES]


def take_round(work: RunContext, reader: PassageReader, round_: Round) -> KeptRound:
    """What a round brought: pages, or the facts of a question with their places, and its conflicts."""
    if round_.decision == ASK_WEB:
        return {"finding": {"summary": "providers were asked about a name"}}
    if "question" not in round_.state:
        missed = unreachable_pages(work)
        return {"finding": {"summary": f"pages were read; {len(missed)} not reachable"}, "unreachable": missed}
    return taken_of(reader.read(work, ResearchQuestion.model_validate(round_.state["question"])))


def taken_of(read: QuestionReading) -> KeptRound:
    """The facts of a question with their places, and its conflicts, as they are kept."""
    verified = sum(one.fact.verified for one in read.facts)
    summary = (
        f"{len(read.facts)} facts of {len({one.passage.group for one in read.facts})} sources, {verified} verified, "
        f"{len(read.conflicts)} conflicts"
    )
    summary += "" if read.answered else "; none of them answers the question" if read.facts else ""
    return {
        "finding": {"summary": summary},
        "question_id": read.question.id,
        "answered": read.answered,
        "facts": [
            {
                "id": str(one.fact.id),
                "text": one.fact.text,
                "source_url": one.fact.source_url,
                "snapshot_sha256": one.evidence.snapshot_sha256,
                "start": one.evidence.start,
                "end": one.evidence.end,
                "confidence": one.fact.confidence,
                "verified": one.fact.verified,
                **({"named_at": one.carried.evidence.start} if one.carried is not None else {}),
            }
            for one in read.facts
        ],
        "discrepancies": [one.discrepancy.model_dump(mode="json") for one in read.conflicts],
    }


def words_of(question: ResearchQuestion) -> str:
    """The words a question is searched with: its own, and what it is about where it does not say so itself."""
    if question.facet == PROPOSED:
        return question.reading
    return question.text if question.reading in question.text else f"{question.text} {question.reading}"


def search_task(
    task_id: str, question: str, reading: str, pins: tuple[PinnedSource, ...], most: int = _PASSAGES
) -> Subtask:
    """The search of a question in pinned sources."""
    words = question if reading in question else f"{question} {reading}"
    return Subtask(
        task_id=task_id,
        description=f"Search {len(pins)} archived sources: {question}",
        tool_name="search.corpus",
        estimated_cost_seconds=_SEARCH_SECONDS,
        arguments={"query": words[:1000], "sources": [one.model_dump(mode="json") for one in pins], "k": most},
    )


def unreachable_pages(work: RunContext) -> list[dict[str, str]]:
    """What a search or a reading could not reach, and why: sources of the request, providers and pages."""
    missed = [
        {"url": str(one["url"]), "reason": f"{one.get('code')}: {one.get('reason')}"}
        for one in work.state.reading.get("read", ())
        if one["outcome"] == "refused"
    ]
    for task_id, (call, observation) in work.state.answered.items():
        if call.tool_name == "search.web":
            output = SearchWebOutput.model_validate(observation.data)
            if output.unreachable:
                missed.append({"url": output.provider, "reason": output.unreachable})
        elif task_id.startswith(READ_PAGES):
            pages = PageReadOutput.model_validate(observation.data)
            missed += [{"url": one.url, "reason": f"{one.code}: {one.reason}"} for one in pages.unreachable]
    return [dict(pair) for pair in dict.fromkeys(tuple(sorted(one.items())) for one in missed)]


def _addresses(work: RunContext) -> list[str]:
    """The addresses that providers named, question by question, each once, the best of each first."""
    lists = [
        [page.url for page in SearchWebOutput.model_validate(observation.data).pages]
        for _, (call, observation) in sorted(work.state.answered.items())
        if call.tool_name == "search.web"
    ]
    longest = max(map(len, lists), default=0)
    mixed = [urls[place] for place in range(longest) for urls in lists if place < len(urls)]
    return list(dict.fromkeys(mixed))[:_PAGES]


def _read_pages(number: int, addresses: list[str]) -> Round:
    reason = f"providers name {len(addresses)} pages"
    tasks = (read_task(READ_PAGES, addresses),)
    return Round(number=number, decision=READ, reason=reason, tasks=tasks, state={"kind": "pages"})


def _with_pages(work: RunContext, pins: tuple[PinnedSource, ...]) -> tuple[PinnedSource, ...]:
    """The pins; where the corpus itself was not asked, only those of pages that were read for this run."""
    request = request_of(work)
    if "corpus" in request.providers or request.corpus or request.corpora:
        return pins
    read = [page.document_id for output in pages_read(work) for page in output.pages]
    if not read:
        return ()
    kept = [one.document_id for one in pins if one.document_id in set(read)]
    return pin(work.services.texts.corpus, dict.fromkeys((*kept, *read)), most=MOST_SOURCES)


def _grown(work: RunContext, reader: PassageReader) -> ResearchQuestion | None:
    """A question about a thing that facts speak of and that has a source of its own, not quoted yet."""
    request = request_of(work)
    asked = asked_questions(work)
    if sum(question.depth > 0 for question in asked) >= _FOLLOWED[request.depth_level]:
        return None
    reads = [reader.read(work, question) for question in asked]
    quoted = {fact.passage.snapshot_sha256 for read in reads for fact in read.facts}
    topic = topic_of(request.intent)
    seen, by_words = visible(work), bool(work.state.reading.get("by_words"))
    known = [name.text for question in asked for name in find_names(question.text)]
    for read in sorted(reads, key=lambda one: -one.question.depth):
        if read.question.depth >= request.limits.max_depth:
            continue
        for name in _names(read, known):
            fresh = [
                hit
                for hit in survey(work.services.texts.corpus, name, seen, by_words=by_words).hits[:5]
                if hit.snapshot_sha256 not in quoted and same_name(hit.title, name)
            ]
            if fresh:
                siblings = sum(question.parent_id == read.question.id for question in asked)
                question = make_question(
                    work.run_id,
                    f"What do the sources say about {name}?",
                    facet="name",
                    title=name[:60],
                    reading=f"{name} {topic}"[:300],
                    priority=min(10, siblings + 1),
                    parent=read.question,
                )
                plan_id = plan_id_of(work.run_id)
                tree = QuestionTree(one.as_seed(plan_id) for one in asked)
                tree.insert(question.as_seed(plan_id))  # Refuses a circle, a lost parent and a wrong depth.
                return question
    return None


def _further(work: RunContext, reader: PassageReader, number: int) -> Round | ResearchQuestion | None:
    """A step towards a question about a name that was read, on the web where it was asked for."""
    request = request_of(work)
    asked = asked_questions(work)
    most = _FOLLOWED[request.depth_level]
    known = [name.text for question in asked for name in find_names(question.text)] + followed_names(work)
    names = [
        (name, question)
        for question in sorted(asked, key=lambda one: -one.depth)
        if question.depth < request.limits.max_depth and sum(one.depth > 0 for one in asked) < most
        for name in _names(reader.read(work, question), known)
    ]
    return followed(work, number, names, most, topic_of(request.intent))


def _names(read: QuestionReading, known: list[str]) -> list[str]:
    counts: Counter[str] = Counter()
    for fact in read.facts:
        # What the title itself is numbered by ("Note 12: Tides") says what kind of document it is, and names nothing.
        kind = re.match(r"(\w+) \d+\b", fact.passage.title)
        names = {name.text for name in find_names(fact.fact.text) if is_whole_name(name.text)}
        counts.update(names - ({kind[1]} if kind else set()))
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [name for name, _ in ordered if not any(same_name(name, other) for other in known)][:8]
