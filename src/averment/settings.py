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
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, SecretStr, ValidationError

from averment.errors import InvalidSettings
from averment.plugins import OneOf

ENV_PREFIX = "AVERMENT_"
CONFIG_FILE = "averment.toml"


BuiltInWebProvider = Literal[
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
"""The search providers that ask the web and that Averment has itself."""

WEB_PROVIDERS: tuple[str, ...] = get_args(BuiltInWebProvider)
WebProvider = Annotated[str, OneOf("providers", WEB_PROVIDERS)]
"""A search provider that asks the web, by name."""

SearchProviderName = Annotated[str, OneOf("providers", ("corpus", *WEB_PROVIDERS))]
"""A search provider, by name."""

BuiltInJail = Literal["gvisor", "bubblewrap", "docker", "landlock"]
BuiltInModels = Literal["anthropic", "openai", "library"]

Origin = Literal["default", "averment.toml", "environment", "flag"]
"""Where the value of a setting comes from; a value that a program gives counts as a flag."""


class Settings(BaseModel):
    """Every setting with its default; frozen once loaded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    home: Path = Field(default=Path(".averment"), description="Folder of the database, logs, artifacts and sessions.")
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
        description="Name of this home's ledger in a shared database; empty means the host name and a "
        "number, stored next to the log.",
    )
    pins_dir: Path | None = Field(
        default=None,
        description="Folder outside every home that stores the first key seen for each ledger; empty means "
        "averment/pins in the user's configuration.",
    )
    witness_url: str | None = Field(
        default=None,
        repr=False,
        description="A folder, a git folder or an fsspec URL that also receives every signed checkpoint; verify "
        "uses it to detect a rollback. Empty means no witness.",
    )

    query_threads: int = Field(
        default=1,
        ge=1,
        le=64,
        description="Engine threads per query; 1 keeps floating-point sums the same in every run.",
    )
    query_memory_mb: int = Field(
        default=2048,
        ge=128,
        le=1_048_576,
        description="Memory in MB that a query process may use before it is stopped.",
    )
    null_words: tuple[str, ...] = Field(
        default=("", "NA", "N/A", "n/a", "NULL", "null", "None", "NaN", "nan", "-"),
        description="Cell texts that mean 'no value' in CSV files.",
    )

    sandbox: Annotated[str, OneOf("jails", ("auto", *get_args(BuiltInJail), "none"))] = Field(
        default="auto", description="Sandbox that runs code; auto picks the strongest available, none refuses all code."
    )
    sandbox_memory_mb: int = Field(
        default=512, ge=64, le=65_536, description="Memory limit in MB of one sandboxed call."
    )
    sandbox_output_bytes: int = Field(
        default=1_048_576, ge=1_000, le=100_000_000, description="Output limit in bytes of one sandboxed call."
    )
    sandbox_image: str = Field(
        default="averment:latest",
        min_length=1,
        max_length=255,
        description="Image for the docker and gvisor sandboxes; it must exist locally and contain Python with pandas.",
    )
    sandbox_spares: int = Field(default=2, ge=1, le=16, description="Sandbox processes kept ready for the next calls.")

    embedded_model: str = Field(
        default="auto",
        min_length=1,
        description="The small model that reads questions of tables inside the process: auto takes the one that comes "
        "with the extra `reader`, none does without. Any other value is the path of a GGUF file, or the address of a "
        "model that a program on this machine serves, with its name behind #: http://127.0.0.1:11434/v1#qwen3:4b.",
    )

    model_provider: Annotated[str, OneOf("models", ("auto", *get_args(BuiltInModels), "none"))] = Field(
        default="auto",
        description="Which model to use; auto picks the first with a key, none uses only the built-in readers, "
        "library opens any model that the model library knows (bedrock:…, google-vertex:…, azure:…).",
    )
    model_name: str | None = Field(default=None, description="Model name for the provider; empty means its default.")
    model_api: Literal["chat", "responses"] = Field(
        default="chat", description="Which OpenAI protocol to use; other servers support chat."
    )
    model_use: Literal["first", "unsure", "never"] = Field(
        default="first",
        description="When to ask a model: first for every question, only when the built-in readers are unsure, or "
        "never.",
    )
    model_small: str | None = Field(
        default=None, description="A cheaper model for routing and for ordering findings; empty means the same model."
    )
    model_candidates: int = Field(
        default=1,
        ge=1,
        le=5,
        description="How many answers to take from a model when no reader confirms it; the most frequent result wins.",
    )
    model_effort: Literal["minimal", "low", "medium", "high"] | None = Field(
        default=None, description="Reasoning effort of models that support it; empty means the vendor's default."
    )
    model_timeout_seconds: float = Field(
        default=60.0, gt=0, le=600, description="Time limit in seconds of one model call."
    )
    model_stream: Literal["auto", "always", "never"] = Field(
        default="auto",
        description="Whether to stream answers to show progress; auto streams only from the vendors' own addresses.",
    )
    model_stall_seconds: float = Field(
        default=45.0, gt=0, le=600, description="Seconds without output after which a streaming model call is stopped."
    )
    model_run_seconds: float = Field(
        default=180.0,
        gt=0,
        le=3_600,
        description="Total seconds a run may wait for its model; the run's own time limit is paused meanwhile.",
    )
    model_max_calls: int = Field(default=40, ge=0, le=1_000, description="Maximum model calls per run.")
    model_max_tokens: int = Field(
        default=250_000, ge=0, le=10_000_000, description="Maximum tokens per run, input and output together."
    )
    model_privacy: Literal["names", "profiles", "values", "rows"] = Field(
        default="values", description="How much of the data a model may see; see the models guide."
    )
    model_privacy_of: dict[str, Literal["names", "profiles", "values", "rows"]] = Field(
        default={},
        description="Exceptions for tables and columns, such as staff=names,sales.city=rows.",
    )
    model_tape: Path | None = Field(
        default=None,
        description="File of recorded model exchanges; if it exists, it replaces the model, otherwise it is written.",
    )
    model_today: str | None = Field(
        default=None,
        pattern=r"^\d{4}-\d{2}-\d{2}$",
        description="The date given to a model as today; empty means the date of the run.",
    )

    search_provider: SearchProviderName = Field(
        default="corpus",
        description="Where research searches for sources; corpus stays on this machine, some others need a key.",
    )
    searxng_url: str | None = Field(
        default=None, description="Address of a SearXNG instance; it may be on a private network."
    )
    web_hosts: tuple[str, ...] = Field(
        default=(),
        description="Hosts in your own network that pages may be read from, as host or host:port; all others are "
        "refused unless they are public.",
    )
    web_proxy: str | None = Field(
        default=None,
        pattern=r"^http://[^\s/@]+$",
        description="HTTP proxy for pages and search services, as http://host:port; web_hosts are reached without it.",
    )
    trust: dict[str, Annotated[float, Field(ge=0, le=1)]] = Field(
        default={},
        description="Trust in sources, from 0 to 1, by domain (example.org, *.gov) or folder (/reports).",
    )

    runs_on: Literal["here", "workers"] = Field(
        default="here", description="Where runs execute: in the process that starts them, or on workers."
    )
    worker_concurrency: int = Field(default=2, ge=1, le=256, description="Runs that one worker executes in parallel.")
    tenant: str = Field(
        default="default",
        pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$",
        description="Tenant for which this process starts runs; workers are shared fairly among tenants.",
    )
    tenant_concurrency: int = Field(
        default=64, ge=1, le=100_000, description="Runs of one tenant that all workers together execute in parallel."
    )
    tool_concurrency: dict[str, Annotated[int, Field(ge=1)]] = Field(
        default={},
        description="Parallel calls of a tool per process, such as python.run=2,sql.run=4; "
        "a tool without a number has no limit.",
    )

    datasets: dict[str, str] = Field(
        default={},
        repr=False,
        description="The owner's datasets by name: files, folders of Parquet files, or database URLs, such as "
        "sales=/data/sales.csv.",
    )
    data_folders: tuple[str, ...] = Field(
        default=(".",),
        description="Folders whose files the owner may connect from the page and over HTTP.",
    )
    mcp_sources: tuple[str, ...] = Field(
        default=(),
        description="Files or database URLs that MCP clients may query; remote clients refer to them by name.",
    )

    session_timeout_hours: int = Field(
        default=24, ge=1, le=8_760, description="Lifetime in hours of a drill-down session."
    )
    holiday_country: str = Field(
        default="",
        pattern=r"^([A-Z]{2}(-[A-Za-z0-9]{1,5})?)?$",
        description="Country or region whose public holidays a drill considers, such as DE or US-CA.",
    )
    conversation_ttl_days: int = Field(default=30, ge=1, le=3_650, description="Lifetime in days of a conversation.")
    reminder_time: str = Field(
        default="09:00",
        pattern=r"^(?:[01][0-9]|2[0-3]):[0-5][0-9]$",
        description="Reminder time for tasks that are due on a day without a time.",
    )
    reminder_webhook: str | None = Field(
        default=None, repr=False, description="URL that receives every reminder as JSON; empty means none."
    )

    traces_url: str | None = Field(
        default=None, description="OTLP over HTTP endpoint for the spans of runs and steps; empty means no tracing."
    )
    log_format: Literal["text", "json"] = Field(
        default="text", description="Log format of servers and workers on standard error."
    )

    http_host: str = Field(default="127.0.0.1", description="Address the server listens on.")
    http_names: tuple[str, ...] = Field(
        default=(), description="Additional host names of the server, such as the name of a proxy in front of it."
    )
    http_token_file: Path | None = Field(
        default=None, description="File with the server's token; empty means a token kept in the home."
    )
    http_port: int = Field(default=8765, ge=0, le=65_535, description="Port the server listens on.")

    _origins: dict[str, Origin] = PrivateAttr(default={})

    def model_post_init(self, context: Any, /) -> None:
        """Take down where each value came from, where ``load`` says so."""
        self._origins = dict(context or {})

    def origin_of(self, name: str) -> Origin:
        """Where the value of a setting comes from."""
        return self._origins.get(name, "flag" if name in self.model_fields_set else "default")

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
        """The live ledger file, where the analyst contract puts it."""
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
    path = config_file if config_file is not None else Path(CONFIG_FILE)
    if config_file is not None and not path.is_file():
        raise InvalidSettings(f"There is no settings file {path}.")
    layers: dict[Origin, dict[str, Any]] = {
        "averment.toml": _from_file(path) if path.is_file() else {},
        "environment": _from_environment(os.environ if environment is None else environment),
        "flag": {name: value for name, value in (flags or {}).items() if value is not None},
    }
    values = {name: value for layer in layers.values() for name, value in layer.items()}
    origins = {name: origin for origin, layer in layers.items() for name in layer}
    try:
        return Settings.model_validate(values, context=origins)
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
