"""What a stranger might ask of a shop, of sensors and of staff: right as pandas has it, or asked back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from asked import Asked, outcome
from lazily import lazily

strangers = lazily("strangers_tables")


@pytest.fixture(scope="module", params=["shop", "sensors", "staff"])
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Asked]]:
    folder = tmp_path_factory.mktemp(request.param)
    for name, frame in strangers.TABLES[request.param].items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    made = Asked([str(folder / f"{name}.csv") for name in strangers.TABLES[request.param]], folder)
    yield request.param, made
    made.close()


def test_no_question_is_answered_wrongly_and_most_are_right(opened: tuple[str, Asked]) -> None:
    name, tables = opened
    found = {
        text: outcome(tables, text, truth()) for text, truth in strangers.QUESTIONS[name].items() if truth is not None
    }
    assert {text: said for text, said in found.items() if said.startswith("wrong")} == {}
    said = list(found.values())
    assert said.count("right") >= (0.25 if name == "shop" else 0.6) * len(found), found
    assert said.count("right") + said.count("offered") >= 0.75 * len(found), found


def test_what_the_data_do_not_say_is_asked_back(opened: tuple[str, Asked]) -> None:
    name, tables = opened
    open_ended = [text for text, truth in strangers.QUESTIONS[name].items() if truth is None]
    assert {text: said for text in open_ended if (said := tables.answered_as(text)) is not None} == {}
