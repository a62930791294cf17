"""A model may point to segments; what it says is tested, kept, and never needed to verify, and it tells nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from made import BASELINE, COMPARISON
from stage import Stage

from averment.agents.driller.advice import ModelAdviser
from averment.agents.driller.agent import Driller
from averment.agents.driller.recall import recall
from averment.errors import ModelUnavailable
from averment.spine.outcome import Run
from averment.spine.verify import verify_run

PROMPT = "Somebody said the handhelds are to blame."


class Scripted:
    """Says what it is told to say."""

    def __init__(self, segments: list[dict[str, str]] | None) -> None:
        self._segments = segments
        self.asked: list[str] = []

    def propose(self, output_type: Any, *, purpose: str, system: str, prompt: str, context: Any = None) -> Any:
        self.asked.append(purpose)
        if self._segments is None:
            raise ModelUnavailable("There is no model.")
        return output_type.model_validate({"segments": self._segments})


def play(stage: Stage, files: list[Path], model: Scripted) -> Run:
    agent = Driller(ModelAdviser(model))
    return stage.play(files, "SUM(amount)", BASELINE, COMPARISON, agent=agent, investigation_prompt=PROMPT)


def stories(stage: Stage, run: Run) -> list[str]:
    found = next(one for one in run.artifacts if Path(one.content_ref).name == "explanations.json")
    return [one["causal_story"] for one in json.loads(stage.services.artifacts.read(found))]


def test_what_a_model_points_to_is_tested_and_it_is_asked_for_no_words(stage: Stage, planted: list[Path]) -> None:
    model = Scripted([{"dimension": "device", "value": "phone"}])
    run = play(stage, planted, model)
    memory = recall(stage.work(run))
    assert any(one.segment == {"device": "phone"} for one in memory.suspicions if one.kind == "suspect")
    assert model.asked == ["suspect"]
    # The verifier's driller has no model.
    checks = [check for check in verify_run(stage.services, Driller(), run.id).checks if check.subject != "seal"]
    assert not [check for check in checks if not check.ok]


@pytest.mark.parametrize(
    "model",
    [
        Scripted(None),
        Scripted([{"dimension": "device", "value": "abacus"}]),
        Scripted([{"dimension": "device", "value": "phone fell by forty percent"}]),
    ],
    ids=["silent", "inventing", "telling"],
)
def test_a_model_that_fails_changes_nothing(stage: Stage, planted: list[Path], model: Scripted) -> None:
    run = play(stage, planted, model)
    plain = stage.play(planted, "SUM(amount)", BASELINE, COMPARISON, investigation_prompt=PROMPT)
    assert stories(stage, run) == stories(stage, plain)
    assert run.answer == plain.answer
