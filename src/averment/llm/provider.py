"""Which model proposes and phrases, chosen from the settings and the environment, and what a call to it costs.

Keys stay in the environment: a choice says where a model is and whether a key is there, never what it is. The
vendor packages are imported only when a model is really called, so that runs without one never pay for them. Prices are
those of the list that comes with the model library; nothing is looked up anywhere else.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit, urlunsplit

from averment import plugins
from averment.errors import InvalidSettings, ModelUnavailable
from averment.settings import Settings

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from pydantic_ai.models import Model

INSTALL_HINT = "Install the model clients: pip install averment[models]"
CALL_MODULES = ("pydantic_ai.direct", "pydantic_ai.models", "pydantic_ai.tools")
KEYLESS = "no-key-needed"  # The vendor clients insist on some key, also where the endpoint asks for none.


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
        own = OWN.get(self.provider)
        return self.has_key or self.base_url is not None or own is None or not own.key_name

    @property
    def address(self) -> str:
        """Where the model is, in words."""
        if self.base_url is not None:
            return self.base_url
        own = OWN.get(self.provider)
        return added_provider(self.provider).address if own is None else own.address


@dataclass(frozen=True, kw_only=True)
class OwnProvider:
    """A provider that Averment knows itself; all that is said of it elsewhere comes from here.

    ``key_name`` and ``url_name`` are the variables of the environment that hold its key and an address of the user's
    own; one without a key name finds both itself. ``auto`` says when it is taken unless the settings name one: with a
    ``key``, with a key or an ``address``, or never. ``modules`` are what ``open`` imports: it gets the choice, the key,
    the user's own address and the HTTP client, and gives a model of the model library. ``priced`` says whether the
    price list has its models.
    """

    default_model: str = ""
    address: str
    key_name: str = ""
    url_name: str = ""
    auto: Literal["key", "address", "never"] = "never"
    modules: tuple[str, ...] = ()
    open: Callable[[ModelChoice, str, str | None, AsyncClient], Model]
    priced: bool = False


def _open_anthropic(choice: ModelChoice, key: str, url: str | None, client: AsyncClient) -> Model:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    home = url or OWN["anthropic"].address
    return AnthropicModel(choice.model, provider=AnthropicProvider(api_key=key, base_url=home, http_client=client))


def _open_openai(choice: ModelChoice, key: str, url: str | None, client: AsyncClient) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    home = OWN["openai"].address
    if choice.api == "responses":
        provider = OpenAIProvider(api_key=key, base_url=url or home, http_client=client)
        return OpenAIResponsesModel(choice.model, provider=provider)
    # An endpoint that is not OpenAI's own is not assumed to know what only OpenAI's does.
    return OpenAIChatModel(
        choice.model,
        provider=OpenAIProvider(api_key=key, base_url=home, http_client=client)
        if url is None
        else OpenAICompatibleProvider("openai-compatible", base_url=url, api_key=key, http_client=client),
    )


def _open_library(choice: ModelChoice, key: str, url: str | None, client: AsyncClient) -> Model:
    """The model of that name in the library, which brings its own client, key and address.

    Raises:
        ModelUnavailable: it knows none of that name, or lacks what it takes to reach it.
    """
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.models import infer_model

    try:
        return infer_model(choice.model)
    except (ImportError, UserError, ValueError):
        raise ModelUnavailable(
            "The model library cannot open the configured model.",
            hint="Give its full name, such as bedrock:NAME, install the library's extra, and set its variables.",
        ) from None


OWN: dict[str, OwnProvider] = {
    "anthropic": OwnProvider(
        default_model="claude-sonnet-5-5",
        address="https://api.anthropic.com",
        key_name="ANTHROPIC_API_KEY",
        url_name="ANTHROPIC_BASE_URL",
        auto="key",
        modules=("pydantic_ai.models.anthropic", "pydantic_ai.providers.anthropic"),
        open=_open_anthropic,
        priced=True,
    ),
    "openai": OwnProvider(
        default_model="gpt-5.5",
        address="https://api.openai.com/v1",
        key_name="OPENAI_API_KEY",
        url_name="OPENAI_BASE_URL",
        auto="address",
        modules=(
            "pydantic_ai.models.openai",
            "pydantic_ai.providers.openai",
            "pydantic_ai.providers.openai_compatible",
        ),
        open=_open_openai,
        priced=True,
    ),
    "library": OwnProvider(address="where the library finds it", open=_open_library),
}
"""By name, in the order in which ``auto`` looks at them; the settings know the same names (``BuiltInModels``).

Every OpenAI-compatible server counts as ``openai``. ``library`` is any model that the model library knows by its own
name, such as ``bedrock:…``, ``google-vertex:…`` or ``azure:…``; their keys and addresses are what the vendors' own
variables say.
"""


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
        case "auto":
            return next(filter(None, (_automatic(name, settings, variables) for name in OWN)), None)
        case name if name in OWN:
            return _choice(name, settings, variables)
        case name:
            return ModelChoice(provider=name, model=settings.model_name or added_provider(name).default_model)


def _automatic(name: str, settings: Settings, environment: Mapping[str, str]) -> ModelChoice | None:
    own = OWN[name]
    if own.auto == "never" or (own.auto == "key" and _read(environment, own.key_name) is None):
        return None
    choice = _choice(name, settings, environment)
    return choice if choice.reachable else None


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
        name = OWN[choice.provider].key_name
        raise ModelUnavailable(f"No API key is set for {choice.provider}.", hint=f"Set {name} in the environment.")
    require_packages(choice.provider)
    from averment.llm.transport import open_client

    own = OWN.get(choice.provider)
    if own is None:
        yield added_provider(choice.provider).open(choice.model, environment)
        return
    key = (_read(environment, own.key_name) if choice.has_key else None) or KEYLESS
    async with open_client() as client:
        yield own.open(choice, key, _whole_url(choice, own.url_name, environment), client)


def require_packages(provider: str | None = None) -> None:
    """Import what a call to the provider needs (without one: what every call needs).

    Raises:
        ModelUnavailable: a package is missing; the hint says how to install it.
    """
    try:
        for name in (*CALL_MODULES, *(OWN[provider].modules if provider in OWN else ())):
            importlib.import_module(name)
    except ImportError as error:
        raise ModelUnavailable(
            "A model is configured, but the packages that call it are not installed.",
            hint=INSTALL_HINT,
            details={"fault": type(error).__name__},
        ) from None


def _choice(provider: str, settings: Settings, environment: Mapping[str, str]) -> ModelChoice:
    own = OWN[provider]
    if not own.key_name:
        return ModelChoice(provider=provider, model=settings.model_name or own.default_model)
    url = _read(environment, own.url_name)
    return ModelChoice(
        provider=provider,
        model=settings.model_name or own.default_model,
        base_url=None if url is None else _public_url(url, own.url_name),
        has_key=_read(environment, own.key_name) is not None,
        api=settings.model_api,
    )


def _read(environment: Mapping[str, str], name: str) -> str | None:
    return environment.get(name, "").strip() or None


def _whole_url(choice: ModelChoice, name: str, environment: Mapping[str, str]) -> str | None:
    """The choice's URL together with what its public form leaves out."""
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


def price_of(choice: ModelChoice, tokens_in: int, tokens_out: int) -> float | None:
    """The price of so many tokens in US dollars; None for an endpoint of the user's own, and for unknown models."""
    if choice.base_url is not None or choice.provider not in OWN or not OWN[choice.provider].priced:
        return None
    try:
        from genai_prices import Usage, calc_price

        usage = Usage(input_tokens=tokens_in, output_tokens=tokens_out)
        return float(calc_price(usage, model_ref=choice.model, provider_id=choice.provider).total_price)
    except (ImportError, LookupError, ValueError):
        return None
