"""One place for every setting: defaults < averment.toml < environment < flags.

The setting ``query_threads`` is so called in ``averment.toml`` and ``AVERMENT_QUERY_THREADS`` in the environment.
Model keys keep the names their vendors gave them (``ANTHROPIC_API_KEY``, ``OPENAI_API_KEY``, ``OPENAI_BASE_URL``) and
are read by ``averment.llm`` alone, so that no secret is ever printed with the settings.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from averment.errors import InvalidSettings

ENV_PREFIX = "AVERMENT_"
CONFIG_FILE = "averment.toml"


WebProvider = Literal[
    "wikipedia",
    "searxng",
    "brave",
    "tavily",
    "duckduckgo",
    "arxiv",
    "openalex",
    "crossref",
    "pubmed",
    "github",
    "serper",
    "exa",
    "google",
]
"""The search providers that ask the web, by name."""

SearchProviderName = Literal["corpus", WebProvider]
"""The search providers by name."""


class Settings(BaseModel):
    """Every setting with its default; frozen once loaded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    home: Path = Field(
        default=Path(".averment"), description="Folder that holds the database, logs, artifacts and sessions."
    )
    database_url: str | None = Field(
        default=None, description="postgresql://… moves the state to Postgres; empty means SQLite in the home."
    )
    files_url: str | None = Field(
        default=None,
        repr=False,
        description="An fsspec URL for artifacts, sessions, uploads and results, such as s3://bucket/folder; "
        "empty means the home folder.",
    )
    files_options: SecretStr | None = Field(
        default=None,
        description="A JSON object of options for that URL, such as endpoint_url, key and secret; never shown. "
        "Without them the vendor's own variables apply.",
    )
    key_dir: Path | None = Field(
        default=None, description="Folder of the ledger's signing key; empty means keys/ in the home."
    )
    ledger_name: str = Field(
        default="averment.local/ledger",
        min_length=1,
        max_length=120,
        description="Origin line of the ledger's signed checkpoints.",
    )
    ledger_writer: str | None = Field(
        default=None,
        pattern=r"^[a-z0-9][a-z0-9._-]{0,99}$",
        description="Name of this home's ledger among those of a shared database; empty means the host's name and a "
        "number, kept beside the log.",
    )
    pins_dir: Path | None = Field(
        default=None,
        description="Folder outside every home that remembers the key each ledger was first seen with; empty means "
        "averment/pins in the user's configuration.",
    )
    witness_url: str | None = Field(
        default=None,
        repr=False,
        description="A folder, a git folder or an fsspec URL that every signed checkpoint is sent to as well; verify "
        "names a rollback by it. Empty means no witness.",
    )

    query_threads: int = Field(
        default=1, ge=1, le=64, description="Engine threads a query; 1 keeps floating-point sums the same on every run."
    )
    query_memory_mb: int = Field(
        default=2048, ge=128, le=1_048_576, description="Memory a query process may take before it is ended."
    )
    null_words: tuple[str, ...] = Field(
        default=("", "NA", "N/A", "n/a", "NULL", "null", "None", "NaN", "nan", "-"),
        description="Cell texts that mean 'no value' in CSV files.",
    )

    sandbox: Literal["auto", "bubblewrap", "landlock", "docker", "gvisor", "none"] = Field(
        default="auto", description="Which jail runs code; auto takes the strongest there is, none refuses all code."
    )
    sandbox_memory_mb: int = Field(default=512, ge=64, le=65_536, description="Memory of one sandboxed call.")
    sandbox_output_bytes: int = Field(
        default=1_048_576, ge=1_000, le=100_000_000, description="Output of one sandboxed call, in bytes."
    )
    sandbox_image: str = Field(
        default="averment:latest",
        min_length=1,
        max_length=255,
        description="Image for the docker and gvisor jails; it must be on the machine and hold Python with pandas.",
    )
    sandbox_spares: int = Field(default=2, ge=1, le=16, description="Warm children kept ready for the next call.")

    model_provider: Literal["auto", "anthropic", "openai", "library", "none"] = Field(
        default="auto",
        description="Which model leads; auto takes the first with a key, none leaves all to the embedded readers, "
        "library opens any model that the model library knows (bedrock:…, google-vertex:…, azure:…).",
    )
    model_name: str | None = Field(default=None, description="Model name for the provider; empty means its default.")
    model_api: Literal["chat", "responses"] = Field(
        default="chat", description="Which of OpenAI's protocols is spoken; other servers know chat."
    )
    model_use: Literal["first", "unsure", "never"] = Field(
        default="first",
        description="When a model is asked: first for every question, only where the embedded readers are unsure, or "
        "never.",
    )
    model_small: str | None = Field(
        default=None, description="A cheaper model for routing and for the order of findings; empty means the same one."
    )
    model_candidates: int = Field(
        default=1,
        ge=1,
        le=5,
        description="How often a model may be asked anew where no reader confirms it; most like results win.",
    )
    model_effort: Literal["minimal", "low", "medium", "high"] | None = Field(
        default=None, description="How long a model may think where it can; empty means the vendor's own measure."
    )
    model_timeout_seconds: float = Field(default=60.0, gt=0, le=600, description="Time for one model call.")
    model_stream: Literal["auto", "always", "never"] = Field(
        default="auto",
        description="Whether answers are streamed, so that progress shows: auto streams at the vendors' own addresses.",
    )
    model_stall_seconds: float = Field(
        default=45.0, gt=0, le=600, description="A streaming model that sends nothing for so long is given up."
    )
    model_run_seconds: float = Field(
        default=180.0,
        gt=0,
        le=3_600,
        description="Time a run may wait for its model in all; its own time stands still.",
    )
    model_max_calls: int = Field(default=40, ge=0, le=1_000, description="Model calls a run may make.")
    model_max_tokens: int = Field(
        default=250_000, ge=0, le=10_000_000, description="Tokens a run may use, in and out together."
    )
    model_privacy: Literal["names", "profiles", "values", "rows"] = Field(
        default="values", description="What of the data a model may see at most: see the guide to models."
    )
    model_privacy_of: dict[str, Literal["names", "profiles", "values", "rows"]] = Field(
        default={},
        description="Tables and columns of which a model may see more or less, such as staff=names,sales.city=rows.",
    )
    model_tape: Path | None = Field(
        default=None,
        description="File of recorded exchanges: where it exists it answers in the model's place, else it is written.",
    )
    model_today: str | None = Field(
        default=None,
        pattern=r"^\d{4}-\d{2}-\d{2}$",
        description="The day a model is told to be today; empty means the day of the run.",
    )

    search_provider: SearchProviderName = Field(
        default="corpus",
        description="Where research looks for sources; corpus stays on this machine, some others need a key.",
    )
    searxng_url: str | None = Field(
        default=None, description="Address of a SearXNG instance; it may be on a private network."
    )
    web_hosts: tuple[str, ...] = Field(
        default=(),
        description="Hosts of your own network that pages may be read from, as host or host:port; all others are "
        "refused unless they are public.",
    )
    web_proxy: str | None = Field(
        default=None,
        pattern=r"^http://[^\s/@]+$",
        description="HTTP proxy for pages and search services, as http://host:port; web_hosts are reached without it.",
    )
    trust: dict[str, Annotated[float, Field(ge=0, le=1)]] = Field(
        default={},
        description="How far sources are trusted, from 0 to 1, by domain (example.org, *.gov) or folder (/reports).",
    )

    runs_on: Literal["here", "workers"] = Field(
        default="here", description="Where runs are carried out: in the process that begins them, or by workers."
    )
    worker_concurrency: int = Field(default=2, ge=1, le=256, description="Runs one worker carries out side by side.")
    tenant: str = Field(
        default="default",
        pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$",
        description="In whose name this process begins runs; workers share themselves out among tenants.",
    )
    tenant_concurrency: int = Field(
        default=64, ge=1, le=100_000, description="Runs of one tenant that all workers together carry out side by side."
    )
    tool_concurrency: dict[str, Annotated[int, Field(ge=1)]] = Field(
        default={},
        description="Calls of a tool that one process makes side by side, such as python.run=2,sql.run=4; "
        "a tool without a number has no limit.",
    )

    datasets: dict[str, str] = Field(
        default={},
        repr=False,
        description="Datasets of the owner by name: files, folders of Parquet, or database URLs, such as "
        "sales=/data/sales.csv.",
    )
    data_folders: tuple[str, ...] = Field(
        default=(".",),
        description="Folders whose files the owner may connect from the page and over HTTP; nothing outside them.",
    )
    mcp_sources: tuple[str, ...] = Field(
        default=(), description="Files or database URLs that MCP clients may ask about; from afar, by name alone."
    )

    session_timeout_hours: int = Field(default=24, ge=1, le=8_760, description="Life of a drill-down session.")
    holiday_country: str = Field(
        default="",
        pattern=r"^([A-Z]{2}(-[A-Za-z0-9]{1,5})?)?$",
        description="Country, or region of one, whose public holidays a drill takes into account, such as DE or US-CA.",
    )
    conversation_ttl_days: int = Field(default=30, ge=1, le=3_650, description="Life of a conversation.")
    reminder_time: str = Field(
        default="09:00",
        pattern=r"^(?:[01][0-9]|2[0-3]):[0-5][0-9]$",
        description="When a task rings that is due on a day and has no time.",
    )
    reminder_webhook: str | None = Field(
        default=None, repr=False, description="A URL that every reminder is posted to as JSON; empty means none."
    )

    traces_url: str | None = Field(
        default=None, description="Where spans of runs and steps are sent by OTLP over HTTP; empty means nowhere."
    )
    log_format: Literal["text", "json"] = Field(
        default="text", description="How servers and workers write their log to standard error."
    )

    http_host: str = Field(default="127.0.0.1", description="Address the server listens on.")
    http_names: tuple[str, ...] = Field(
        default=(), description="Further names the server answers to, such as the one a proxy before it is known by."
    )
    http_token_file: Path | None = Field(
        default=None, description="File that holds the server's token; empty means one that the home keeps."
    )
    http_port: int = Field(default=8765, ge=0, le=65_535, description="Port the server listens on.")

    @property
    def keys(self) -> Path:
        """The folder of the signing key, never inside ``logs/``."""
        return self.key_dir if self.key_dir is not None else self.home / "keys"

    @property
    def pins(self) -> Path:
        """The folder of pinned keys."""
        if self.pins_dir is not None:
            return self.pins_dir
        configuration = os.environ.get("XDG_CONFIG_HOME", "")
        return (Path(configuration) if configuration else Path.home() / ".config") / "averment" / "pins"

    @property
    def ledger_path(self) -> Path:
        """The live ledger file, where seed 000 puts it."""
        return self.home / "logs" / "data_agent_runs.jsonl"


def load(
    *,
    flags: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    config_file: Path | None = None,
) -> Settings:
    """Settings from all four layers, the later ones winning.

    Raises:
        InvalidSettings: a value is outside its range, or a name is unknown.
    """
    values: dict[str, Any] = {}
    path = config_file if config_file is not None else Path(CONFIG_FILE)
    if path.is_file():
        values.update(_from_file(path))
    elif config_file is not None:
        raise InvalidSettings(f"There is no settings file {path}.")
    values.update(_from_environment(os.environ if environment is None else environment))
    values.update({name: value for name, value in (flags or {}).items() if value is not None})
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"]) or "settings"
        raise InvalidSettings(f"The setting {name} cannot be used: {first['msg']}.") from error


def _from_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidSettings(f"The settings file {path.name} cannot be read: {error}.") from error


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in Settings.model_fields:
        text = environment.get(ENV_PREFIX + name.upper())
        if text is None or text == "":
            continue
        found[name] = _LISTS[name](text) if name in _LISTS else text
    return found


def _pairs(text: str) -> dict[str, str]:
    return {name.strip(): number.strip() for name, _, number in (pair.partition("=") for pair in text.split(","))}


_LISTS: dict[str, Callable[[str], Any]] = {
    "null_words": lambda text: tuple(text.split(",")),
    "http_names": lambda text: tuple(name.strip() for name in text.split(",")),
    "mcp_sources": lambda text: tuple(text.split(",")),
    "data_folders": lambda text: tuple(name.strip() for name in text.split(",")),
    "datasets": _pairs,
    "tool_concurrency": _pairs,
    "trust": _pairs,
    "web_hosts": lambda text: tuple(name.strip() for name in text.split(",")),
    "model_privacy_of": _pairs,
}
