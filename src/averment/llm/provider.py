"""Which model proposes and phrases, chosen from the settings and the environment.

Keys stay in the environment: a choice says where a model is and whether a key is there, never what it is. The
vendor packages are imported only when a model is really called, so that runs without one never pay for them.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args
from urllib.parse import urlsplit, urlunsplit

from averment import plugins
from averment.errors import InvalidSettings, ModelUnavailable
from averment.settings import BuiltInModels, Settings

if TYPE_CHECKING:
    from pydantic_ai.models import Model

Provider = BuiltInModels
"""Whose protocol the endpoint speaks; every OpenAI-compatible server counts as ``openai``.

``library`` is any model that the model library knows by its own name, such as ``bedrock:…``, ``google-vertex:…`` or
``azure:…``; their keys and addresses are what the vendors' own variables say.
"""

DEFAULT_MODELS: dict[str, str] = {"anthropic": "claude-sonnet-5-5", "openai": "gpt-5.5", "library": ""}
KEY_NAMES: dict[str, str] = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY", "library": ""}
BASE_URL_NAMES: dict[str, str] = {"anthropic": "ANTHROPIC_BASE_URL", "openai": "OPENAI_BASE_URL", "library": ""}
VENDOR_URLS: dict[str, str] = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com/v1",
    "library": "where the library finds it",
}

INSTALL_HINT = "Install the model clients: pip install averment[models]"
CALL_MODULES = ("pydantic_ai.direct", "pydantic_ai.models", "pydantic_ai.tools")
PROVIDER_MODULES: dict[str, tuple[str, ...]] = {
    "anthropic": ("pydantic_ai.models.anthropic", "pydantic_ai.providers.anthropic"),
    "openai": (
        "pydantic_ai.models.openai",
        "pydantic_ai.providers.openai",
        "pydantic_ai.providers.openai_compatible",
    ),
    "library": (),
}
KEYLESS = "no-key-needed"  # The vendor clients insist on some key, also where the endpoint asks for none.


OWN: tuple[str, ...] = get_args(BuiltInModels)


@dataclass(frozen=True, kw_only=True)
class ModelProvider:
    """A provider of models that a plugin adds; it is used only where the settings name it.

    ``open`` gets a model's name and the environment, which holds any key, and gives a model of the model library.
    """

    name: str
    default_model: str
    open: Callable[[str, Mapping[str, str]], Model]
    address: str = "where its plugin finds it"


@dataclass(frozen=True, kw_only=True)
class ModelChoice:
    """A model and where it is reached; safe to print, since the key itself is never in it."""

    provider: str
    model: str
    base_url: str | None = None
    has_key: bool = False
    api: Literal["chat", "responses"] = "chat"

    @property
    def reachable(self) -> bool:
        """Whether a call can be tried at all: there is a key, or an endpoint of the user's own that may need none."""
        return self.has_key or self.base_url is not None or self.provider not in {"anthropic", "openai"}

    @property
    def address(self) -> str:
        """Where the model is, in words."""
        if self.base_url is not None:
            return self.base_url
        return VENDOR_URLS[self.provider] if self.provider in VENDOR_URLS else added_provider(self.provider).address


def choose(settings: Settings, environment: Mapping[str, str] | None = None) -> ModelChoice | None:
    """The model that the settings and the environment name, or None when the rules work alone.

    ``auto`` takes Anthropic when its key is there, then OpenAI or any compatible endpoint. A provider named in the
    settings is taken even without a key, so that each run says why its model did not answer.

    Raises:
        InvalidSettings: the base URL in the environment is no http(s) URL.
    """
    variables = os.environ if environment is None else environment
    match settings.model_provider:
        case "none":
            return None
        case "anthropic" | "openai" | "library" as provider:
            return _choice(provider, settings, variables)
        case "auto":
            if _read(variables, KEY_NAMES["anthropic"]) is not None:
                return _choice("anthropic", settings, variables)
            candidate = _choice("openai", settings, variables)
            return candidate if candidate.reachable else None
        case name:
            return ModelChoice(provider=name, model=settings.model_name or added_provider(name).default_model)


def added_provider(name: str) -> ModelProvider:
    """The provider that a plugin adds under that name.

    Raises:
        PluginFailed: none does, or it cannot be loaded.
    """
    return plugins.load("models", name, ModelProvider, OWN)


@asynccontextmanager
async def connect(choice: ModelChoice, environment: Mapping[str, str]) -> AsyncGenerator[Model]:
    """A ready model on a fresh HTTP client that is closed afterwards.

    The client follows no redirect, so a key never travels to another host, and reads no more than a bounded body.

    Raises:
        ModelUnavailable: the model packages are not installed, or the provider needs a key that is not there.
    """
    if not choice.reachable:
        name = KEY_NAMES.get(choice.provider, "")
        raise ModelUnavailable(f"No API key is set for {choice.provider}.", hint=f"Set {name} in the environment.")
    require_packages(choice.provider)
    from averment.llm.transport import open_client

    if choice.provider not in OWN:
        yield added_provider(choice.provider).open(choice.model, environment)
        return
    key = (_read(environment, KEY_NAMES[choice.provider]) if choice.has_key else None) or KEYLESS
    url = _whole_url(choice, environment)
    async with open_client() as client:
        match choice.provider:
            case "anthropic":
                from pydantic_ai.models.anthropic import AnthropicModel
                from pydantic_ai.providers.anthropic import AnthropicProvider

                home = url or VENDOR_URLS["anthropic"]
                yield AnthropicModel(
                    choice.model, provider=AnthropicProvider(api_key=key, base_url=home, http_client=client)
                )
            case "library":
                yield _from_library(choice.model)
            case "openai":
                from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
                from pydantic_ai.providers.openai import OpenAIProvider
                from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

                if choice.api == "responses":
                    home = url or VENDOR_URLS["openai"]
                    provider = OpenAIProvider(api_key=key, base_url=home, http_client=client)
                    yield OpenAIResponsesModel(choice.model, provider=provider)
                    return
                # An endpoint that is not OpenAI's own is not assumed to know what only OpenAI's does.
                yield OpenAIChatModel(
                    choice.model,
                    provider=OpenAIProvider(api_key=key, base_url=VENDOR_URLS["openai"], http_client=client)
                    if url is None
                    else OpenAICompatibleProvider("openai-compatible", base_url=url, api_key=key, http_client=client),
                )
            case _:
                raise ModelUnavailable(f"There is no model provider {choice.provider}.")


def _from_library(name: str) -> Model:
    """The model of that name in the library.

    Raises:
        ModelUnavailable: it knows none of that name, or lacks what it takes to reach it.
    """
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.models import infer_model

    try:
        return infer_model(name)
    except (ImportError, UserError, ValueError):
        raise ModelUnavailable(
            "The model library cannot open the configured model.",
            hint="Give its full name, such as bedrock:NAME, install the library's extra, and set its variables.",
        ) from None


def require_packages(provider: str | None = None) -> None:
    """Import what a call to the provider needs (without one: what every call needs).

    Raises:
        ModelUnavailable: a package is missing; the hint says how to install it.
    """
    try:
        for name in (*CALL_MODULES, *(() if provider is None else PROVIDER_MODULES.get(provider, ()))):
            importlib.import_module(name)
    except ImportError as error:
        raise ModelUnavailable(
            "A model is configured, but the packages that call it are not installed.",
            hint=INSTALL_HINT,
            details={"fault": type(error).__name__},
        ) from None


def _choice(provider: Provider, settings: Settings, environment: Mapping[str, str]) -> ModelChoice:
    if provider == "library":
        return ModelChoice(provider=provider, model=settings.model_name or "")
    url = _read(environment, BASE_URL_NAMES[provider])
    return ModelChoice(
        provider=provider,
        model=settings.model_name or DEFAULT_MODELS[provider],
        base_url=None if url is None else _public_url(url, BASE_URL_NAMES[provider]),
        has_key=_read(environment, KEY_NAMES[provider]) is not None,
        api=settings.model_api,
    )


def _read(environment: Mapping[str, str], name: str) -> str | None:
    return environment.get(name, "").strip() or None


def _whole_url(choice: ModelChoice, environment: Mapping[str, str]) -> str | None:
    """The choice's URL together with what its public form leaves out."""
    name = BASE_URL_NAMES[choice.provider]
    url = _read(environment, name)
    return url if url is not None and _public_url(url, name) == choice.base_url else choice.base_url


def _public_url(url: str, name: str) -> str:
    """The URL without user, password, query and fragment, where people hide keys."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme not in {"http", "https"} or not host:
        raise InvalidSettings(
            f"The environment variable {name} is not an http or https URL.",
            hint=f"Give {name} in the form http://127.0.0.1:8080/v1.",
        )
    place = f"[{host}]" if ":" in host else host
    return urlunsplit((parts.scheme, place if port is None else f"{place}:{port}", parts.path, "", ""))
