"""Follow-ups on the web: a name that was read, and that no source is about yet, is asked of the providers.

The pages they name are read and archived before a question is asked of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from averment.agents.researcher.questions import (
    ResearchQuestion,
    asked_questions,
    make_question,
    plan_id_of,
    request_of,
)
from averment.records.analysis import Subtask
from averment.records.research.plan import QuestionTree
from averment.runtime.decisions import Round
from averment.tools.page_read import PageReadOutput
from averment.tools.search_web import SearchWebOutput

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext

READ_PAGES = "read_pages"
"""How the ids of tasks that read pages begin."""
ASK_WEB, READ = "ASK_WEB", "READ"
_PAGES = 4
_SEARCH_SECONDS, _PAGE_SECONDS = 2.0, 5.0

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
            estimated_cost_seconds=_SEARCH_SECONDS,
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
    return [url for url in dict.fromkeys(found) if url not in known][:_PAGES]


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
