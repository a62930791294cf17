"""A damaged history of an investigation's chat is an error of the product's own, with a code and a way out."""

from pathlib import Path

import pytest

from averment import Workbench
from averment.errors import SourceUnreadable
from averment.settings import Settings

DAMAGED = {"no JSON": "[{", "no list": "7", "no messages": '[{"role": "nobody"}]', "texts": '["hello"]'}


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_history_of_a_chat_is_named_by_its_code(tmp_path: Path, kind: str) -> None:
    with Workbench(settings=Settings(home=tmp_path / "home", model_provider="none")) as workbench:
        session_id = workbench.sessions.create().session_id
        assert workbench.sessions.history(session_id) == ()
        chat = workbench.settings.home / "sessions" / session_id / "chat"
        chat.mkdir(parents=True, exist_ok=True)
        (chat / "history.json").write_text(DAMAGED[kind])
        with pytest.raises(SourceUnreadable) as caught:
            workbench.sessions.history(session_id)
        assert session_id in str(caught.value.hint)
