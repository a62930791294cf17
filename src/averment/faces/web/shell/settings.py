"""The settings as they are: each value, where it comes from, and what else is installed. Nothing secret is shown."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fastapi import Request
from pydantic import SecretStr
from starlette.responses import Response

from averment.errors import PolicyError
from averment.errors.extras import EXTRAS, is_installed
from averment.faces.web.shell.page_access import Bench
from averment.faces.web.shell.pages import Pages, page_user, show
from averment.language.embeddings.weights import weights_dir
from averment.llm.inspect import inspect_models
from averment.settings import CONFIG_FILE, ENV_PREFIX, Origin, Settings

router = Pages()

HIDDEN = "set, not shown"
GROUPS = {
    "home": "Home and ledger",
    "query_threads": "Tables",
    "sandbox": "Sandbox",
    "model_provider": "Models",
    "search_provider": "Research",
    "runs_on": "Workers",
    "datasets": "Data",
    "session_timeout_hours": "Sessions, conversations and reminders",
    "traces_url": "Traces and logs",
    "http_host": "Server",
}
"""The first setting of each group, in the order of the settings, and the group's title."""


@dataclass(frozen=True)
class SettingLine:
    """One setting as the page shows it."""

    name: str
    value: str
    origin: Origin
    about: str

    @property
    def variable(self) -> str:
        """The name of the environment variable that sets it."""
        return ENV_PREFIX + self.name.upper()


@router.get("/settings")
def show_settings(request: Request, workbench: Bench) -> Response:
    """Every setting with its value and origin, the models, and the extras.

    Raises:
        PolicyError: the page is a user's and not the owner's.
    """
    if page_user(request) is not None:
        raise PolicyError("Only the owner of this home can see its settings.", hint="Use the server's own token.")
    settings = workbench.settings
    groups = grouped(settings)
    return show(
        request,
        "settings.html",
        groups=groups,
        changed=[line for lines in groups.values() for line in lines if line.origin != "default"],
        model=inspect_models(settings, ask=False),
        weights=weights_dir() is not None,
        extras=[(name, words, is_installed(name)) for name, (words, _) in EXTRAS.items()],
        config_file=CONFIG_FILE,
    )


def grouped(settings: Settings) -> dict[str, list[SettingLine]]:
    """The settings by group, each as it may be shown."""
    groups: dict[str, list[SettingLine]] = {}
    title = ""
    for name, field in Settings.model_fields.items():
        title = GROUPS.get(name, title)
        value = getattr(settings, name)
        # What is kept out of logs may hold a key or a password.
        text = (HIDDEN if value else "") if not field.repr else shown(value)
        groups.setdefault(title, []).append(SettingLine(name, text, settings.origin_of(name), field.description or ""))
    return groups


def shown(value: Any) -> str:
    """A value as text, without passwords, keys and what follows the path of an address."""
    match value:
        case None:
            return ""
        case SecretStr():
            return HIDDEN
        case dict():
            return ", ".join(f"{name} = {shown(one)}" for name, one in value.items())
        case tuple() | list():
            return ", ".join(shown(one) or "“”" for one in value)
        case str() | Path():
            return _without_secrets(str(value))
        case _:
            return str(value)


def _without_secrets(text: str) -> str:
    if "://" not in text:
        return text
    try:
        parts = urlsplit(text)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        return HIDDEN
    user = f"{parts.username}@" if parts.username and parts.password is None else "…@" if parts.username else ""
    rest = "…" if parts.query or parts.fragment or ";" in parts.path else ""
    return f"{parts.scheme}://{user}{parts.hostname or ''}{port}{parts.path.partition(';')[0]}{rest}"
