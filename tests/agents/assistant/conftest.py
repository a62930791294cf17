"""An assistant over a real database, with its tools and a clock that the test turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from averment.agents.assistant.agent import Assistant, allows
from averment.agents.assistant.model_loop.loop import MessageLoop
from averment.language.embeddings import Embedder, default_embedder
from averment.records.chat import AgentResponse, Task
from averment.store.chat.conversations import ConversationStore
from averment.store.chat.questions import QuestionStore
from averment.store.chat.tasks import TaskStore
from averment.store.db.database import Database
from averment.tools.local_calls import LocalTools
from averment.tools.public import PublicTool
from averment.tools.task_tools import task_tools


@pytest.fixture(scope="session")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    return default_embedder(tmp_path_factory.mktemp("models"))


class Desk:
    """One home at one moment; ``reopened`` is the same home after a restart."""

    def __init__(
        self,
        database: Database,
        vectors: Embedder,
        extra: tuple[PublicTool[Any, Any], ...] = (),
        listener: Callable[[LocalTools], MessageLoop] | None = None,
    ) -> None:
        self.database = database
        self.vectors = vectors
        self.extra = extra
        self.now = datetime(2026, 1, 23, 10, 30, tzinfo=UTC)
        self.tasks = TaskStore(database)
        self.questions = QuestionStore(database)
        self.conversations = ConversationStore(database)
        tools = self.local((*task_tools(self.tasks), *extra))
        self.assistant = Assistant(
            conversations=self.conversations,
            questions=self.questions,
            tools=tools,
            vectors=lambda: vectors,
            user_id="local",
            listener=None if listener is None else listener(tools),
            clock=lambda: self.now,
        )
        self.conversation = "talk"

    def local(self, tools: Iterable[PublicTool[Any, Any]]) -> LocalTools:
        return LocalTools(
            lambda: tools,
            allows=lambda question, name, arguments: allows(self.questions, question, name, arguments),
            user_id="local",
        )

    def reopened(self) -> Desk:
        again = Desk(self.database, self.vectors, self.extra)
        again.now = self.now
        return again

    def pass_time(self, **span: int) -> None:
        self.now += timedelta(**span)

    def say(self, text: str, message_id: str | None = None) -> AgentResponse:
        return self.assistant.turn(text, conversation_id=self.conversation, message_id=message_id)

    def have(self, *titles: str) -> list[int]:
        acted = self.tasks.add([Task(title=title) for title in titles], key=f"given/{titles}")
        return [int(kept.task.id or 0) for kept in acted.tasks]

    def titles(self, status: Any = None) -> list[str]:
        return [kept.task.title for kept in self.tasks.list(status)]


@pytest.fixture
def desk(database: Database, vectors: Embedder) -> Iterator[Desk]:
    yield Desk(database, vectors)


@pytest.fixture
def desk_with(database: Database, vectors: Embedder) -> Callable[[Callable[[LocalTools], MessageLoop]], Desk]:
    """A home whose assistant understands with a model's help."""
    return lambda listener: Desk(database, vectors, listener=listener)
