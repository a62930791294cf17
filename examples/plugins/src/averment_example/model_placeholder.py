"""A provider of models: the model library's own stand-in, which keeps to every form and knows nothing.

It shows that a model cannot make an answer wrong: whatever it proposes is checked, and the rules answer where it fails.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic_ai.models import Model
from pydantic_ai.models.test import TestModel

from averment.llm.provider import ModelProvider


def open_model(name: str, environment: Mapping[str, str]) -> Model:
    """The stand-in; a real provider would take its key from the environment."""
    del environment
    return TestModel(model_name=name)


PLACEHOLDER = ModelProvider(
    name="placeholder", default_model="stand-in", open=open_model, address="inside this process"
)
