"""A process that says something to the assistant and dies by SIGKILL where it is told to.

    python chat_victim.py HOME POINT MESSAGE_ID WORDS...

POINT is ``taken`` (the message is kept, nothing decided), ``answered`` (the open question is closed, nothing decided),
``decided`` (what to do is kept, nothing done), ``acted`` (the tool has acted, nothing replied), ``replied`` (the reply
is kept, nothing printed) or ``none``; ``recover`` answers what an earlier process left.
VICTIM_DATABASE_URL may name a Postgres.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from averment.settings import Settings
from averment.store.chat.conversations import ConversationStore
from averment.store.chat.questions import QuestionStore
from averment.tools.local_calls import LocalTools
from averment.workbench import Workbench

POINTS: dict[str, tuple[Any, str]] = {
    "taken": (ConversationStore, "begin_turn"),
    "answered": (QuestionStore, "answer"),
    "decided": (ConversationStore, "decide"),
    "acted": (LocalTools, "call"),
    "replied": (ConversationStore, "end_turn"),
}


def die_after(owner: Any, name: str) -> None:
    original: Callable[..., Any] = getattr(owner, name)

    def done(*args: Any, **more: Any) -> Any:
        original(*args, **more)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(owner, name, done)


def main() -> None:
    home, point, message_id, *words = sys.argv[1:]
    with Workbench(settings=Settings(home=Path(home), database_url=os.environ.get("VICTIM_DATABASE_URL"))) as workbench:
        if point == "recover":
            sys.stdout.write(f"{workbench.assistant.recover()}\n")
            return
        if point != "none":
            die_after(*POINTS[point])
        reply = workbench.chat(" ".join(words), conversation_id="talk", message_id=message_id)
        sys.stdout.write(f"{reply.status} {reply.response}\n")


if __name__ == "__main__":
    main()
