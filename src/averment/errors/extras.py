"""Optional packages: what is heavy and not always needed is installed as an extra, and asked for by its name."""

from __future__ import annotations

from importlib.util import find_spec
from types import TracebackType

from averment.errors.request import MissingExtra

EXTRAS: dict[str, tuple[str, tuple[str, ...]]] = {
    "models": ("language models of Anthropic, OpenAI and servers like theirs", ("pydantic_ai", "anthropic", "openai")),
    "language": (
        "texts ranked by their meaning (with averment models get)",
        ("onnx", "onnxruntime", "tokenizers", "safetensors"),
    ),
    "documents": ("PDF and web pages as sources", ("pypdfium2", "trafilatura")),
    "statistics": ("correlations, tests and models of columns", ("scipy", "sklearn")),
    "programs": ("programs that a model writes, with Polars and Matplotlib", ("polars", "matplotlib")),
    "notebook": ("charts as Altair objects in notebooks", ("altair",)),
    "postgres": ("tables of a Postgres server", ("duckdb_extension_postgres_scanner",)),
    "files": ("artifacts in S3 and other object stores", ("fsspec", "s3fs")),
    "pdf": ("reports as PDF", ("typst",)),
    "spark": ("tables on a Spark cluster", ("pyspark",)),
    "telemetry": ("metrics and traces", ("prometheus_client", "opentelemetry")),
}
"""What each extra adds, in words, and the packages by which it is found to be installed."""


class needs:  # noqa: N801 - it reads as a statement: with needs("documents"): import …
    """Around an import: where the package is not installed, the error names the extra that brings it.

    Raises:
        MissingExtra: the import inside found no such package.
    """

    def __init__(self, extra: str) -> None:
        self._extra = extra

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if isinstance(error, ModuleNotFoundError) and error.name:
            raise missing(error.name.partition(".")[0], self._extra) from error


def require(extra: str, *packages: str) -> None:
    """Check that packages are there before work begins elsewhere, as in a jail.

    Raises:
        MissingExtra: one is not installed.
    """
    for package in packages:
        if find_spec(package) is None:
            raise missing(package, extra)


def is_installed(extra: str) -> bool:
    """Whether every package of an extra is there."""
    return all(find_spec(package) is not None for package in EXTRAS[extra][1])


def missing(package: str, extra: str) -> MissingExtra:
    """The error for a package that an extra brings."""
    return MissingExtra(
        f"This needs the package {package}, which is not installed.",
        hint=f'Install it with: pip install "averment[{extra}]"',
    )
