from __future__ import annotations

import subprocess
import sys
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from averment.errors import InvalidSettings, ModelUnavailable
from averment.llm import ModelChoice, ModelClient, choose
from averment.llm.provider import OWN
from averment.settings import BuiltInModels, Settings

KEY = "sk-test-5ecret"


def test_the_settings_know_the_names_of_all_own_providers() -> None:
    assert set(get_args(BuiltInModels)) == set(OWN), "settings.BuiltInModels and llm.provider.OWN name the same"


def test_without_key_or_endpoint_there_is_no_model() -> None:
    assert choose(Settings(), {}) is None
    assert choose(Settings(), {"ANTHROPIC_API_KEY": " ", "OPENAI_BASE_URL": ""}) is None


@pytest.mark.seed("A-094")
def test_an_anthropic_key_comes_first() -> None:
    choice = choose(Settings(), {"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY})
    assert choice == ModelChoice(provider="anthropic", model=OWN["anthropic"].default_model, has_key=True)


def test_an_openai_key_is_taken_when_there_is_no_other() -> None:
    choice = choose(Settings(), {"OPENAI_API_KEY": KEY})
    assert choice == ModelChoice(provider="openai", model=OWN["openai"].default_model, has_key=True)


def test_a_compatible_endpoint_needs_no_key() -> None:
    choice = choose(Settings(model_name="qwen"), {"OPENAI_BASE_URL": "http://127.0.0.1:8080/v1"})
    assert choice == ModelChoice(provider="openai", model="qwen", base_url="http://127.0.0.1:8080/v1")
    assert choice.reachable


def test_the_settings_outweigh_the_environment() -> None:
    environment = {"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY}
    assert choose(Settings(model_provider="none"), environment) is None
    choice = choose(Settings(model_provider="openai", model_name="my-model"), environment)
    assert choice is not None
    assert (choice.provider, choice.model) == ("openai", "my-model")


def test_a_named_provider_is_chosen_even_without_a_key() -> None:
    choice = choose(Settings(model_provider="anthropic"), {"OPENAI_API_KEY": KEY})
    assert choice is not None
    assert (choice.provider, choice.has_key, choice.reachable) == ("anthropic", False, False)


def test_a_choice_shows_no_secret_of_key_or_url() -> None:
    environment = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"https://user:{KEY}@[::1]:8443/v1?token={KEY}#{KEY}"}
    choice = choose(Settings(), environment)
    assert choice is not None
    assert choice.base_url == "https://[::1]:8443/v1"
    assert KEY not in repr(choice)


@pytest.mark.parametrize(
    "url", ["ftp://example.org", "not a url", "http://", "http://[::1", "http://host:port/v1", "file:///etc/passwd"]
)
def test_a_base_url_that_is_no_web_address_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        choose(Settings(), {"OPENAI_BASE_URL": url})
    assert url not in caught.value.message


def test_an_endpoint_of_the_other_vendor_is_not_looked_at() -> None:
    assert choose(Settings(), {"ANTHROPIC_API_KEY": KEY, "OPENAI_BASE_URL": "nonsense"}) is not None


def test_importing_and_choosing_imports_no_vendor() -> None:
    code = (
        "import sys, averment.llm, averment.llm.provider, averment.llm.wire, averment.llm.replay\n"
        "from averment.settings import Settings\n"
        "choice = averment.llm.choose(Settings(), {'OPENAI_API_KEY': 'k'})\n"
        "averment.llm.ModelClient(choice, Settings())\n"
        "averment.llm.render('phrase_summary', question='q', findings=[], result={})\n"
        "heavy = {'pydantic_ai', 'openai', 'anthropic', 'httpx', 'httpx2'}\n"
        "print(sorted(heavy & {name.split('.')[0] for name in sys.modules}))\n"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert shown.stdout.strip() == "[]"


def test_a_model_that_the_library_knows_is_opened_by_its_name(vendors: None) -> None:
    settings = Settings(model_provider="library", model_name="test")
    choice = choose(settings, {})
    assert choice is not None
    assert choice.reachable

    class Word(BaseModel):
        word: str

    said = ModelClient(choice, settings, environment={}).propose(Word, purpose="say", system="s", prompt="p")
    assert isinstance(said.word, str)


def test_a_name_that_the_library_does_not_know_is_said_to_be_unavailable(vendors: None) -> None:
    settings = Settings(model_provider="library", model_name="nobody:nothing")
    choice = choose(settings, {})
    assert choice is not None
    with pytest.raises(ModelUnavailable):
        ModelClient(choice, settings, environment={}).propose(Settings, purpose="say", system="s", prompt="p")


def test_openais_other_protocol_is_spoken_where_it_is_set(new_endpoint: Any) -> None:
    endpoint = new_endpoint()
    environment = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": endpoint.url}
    settings = Settings(model_provider="openai", model_api="responses", model_timeout_seconds=5)
    choice = choose(settings, environment)
    assert choice is not None
    endpoint.script = ["400"]
    with pytest.raises(ModelUnavailable):
        ModelClient(choice, settings, environment=environment).propose(Settings, purpose="s", system="s", prompt="p")
    assert "input" in endpoint.requests[0]
    assert "messages" not in endpoint.requests[0]
