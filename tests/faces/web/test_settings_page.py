"""The settings page: what is set and from where, what else is installed, and nothing secret."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from averment.errors.extras import EXTRAS
from averment.settings import Settings, load
from lazily import lazily

shown = lazily("averment.faces.web.shell.settings")
ROOT = Path(__file__).parents[3]
SECRETS = {
    "database_url": "postgresql://anna:hunter2@db.example/averment?sslpassword=hunter3",
    "files_url": "s3://hunter4@bucket/folder",
    "files_options": '{"secret": "hunter5"}',
    "witness_url": "https://example.org/?token=hunter6",
    "reminder_webhook": "https://example.org/hook/hunter7",
    "searxng_url": "http://anna:hunter8@search.example/",
    "traces_url": "http://traces.example/v1?key=hunter9",
}


def test_each_value_says_where_it_comes_from(tmp_path: Path) -> None:
    file = tmp_path / "averment.toml"
    file.write_text("query_threads = 2\nhttp_port = 9000\n")
    environment = {"AVERMENT_HTTP_PORT": "9001", "AVERMENT_TENANT": "blue"}
    settings = load(flags={"tenant": "green"}, environment=environment, config_file=file)
    told = {line.name: (line.value, line.origin) for lines in shown.grouped(settings).values() for line in lines}
    assert told["query_threads"] == ("2", "averment.toml")
    assert told["http_port"] == ("9001", "environment")
    assert told["tenant"] == ("green", "flag")
    assert told["sandbox"] == ("auto", "default")


def test_no_secret_is_shown(tmp_path: Path) -> None:
    given: dict[str, Any] = {
        **SECRETS,
        "datasets": {"sales": "postgresql://anna:hunter1@db/sales"},
        "mcp_sources": ("sc://host:15002/;token=hunter10",),
    }
    told = str(shown.grouped(Settings(home=tmp_path, **given)))
    assert "hunter" not in told
    assert "db.example/averment" in told and "set, not shown" in told


def test_every_setting_is_in_a_group() -> None:
    groups = shown.grouped(Settings())
    assert "" not in groups and list(groups) == list(shown.GROUPS.values())
    assert sum(map(len, groups.values())) == len(Settings.model_fields)


def test_the_page_lists_every_extra_of_the_package() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(EXTRAS) == set(extras) - {"all", "docs", "test", "postgres-embedded"}


def test_the_page_tells_of_home_models_and_extras(site: Any) -> None:
    page = site.client.get("/settings").text
    assert str(site.workbench.settings.home) in page
    assert "Language model" in page and "Sentence model" in page and "reports as PDF" in page
    assert '<a href="/settings" aria-current="page">Settings</a>' in page
