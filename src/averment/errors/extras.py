"""Optional packages: what is heavy and not always needed is installed as an extra, and asked for by its name."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from types import TracebackType

from averment.errors.tree import MissingExtra

EXTRAS: dict[str, tuple[str, tuple[str, ...]]] = {
    "charts": ("charts as pictures, and on the page", ("vl_convert",)),
    "drill": ("investigations of why a number moved", ("pandas", "vl_convert")),
    "models": ("language models of Anthropic, OpenAI and servers like theirs", ("pydantic_ai", "anthropic", "openai")),
    "language": (
        "texts ranked by their meaning (with averment models get)",
        ("onnx", "onnxruntime", "tokenizers", "safetensors"),
    ),
    "reader": ("the small model that reads questions of tables", ("xllamacpp",)),
    "documents": ("PDF and web pages as sources", ("pypdfium2", "trafilatura")),
    "statistics": ("correlations, tests and models of columns", ("scipy", "sklearn")),
    "programs": ("programs that a model writes", ("pandas", "polars", "matplotlib")),
    "notebook": ("results as pandas frames and charts as Altair objects", ("pandas", "altair", "vl_convert")),
    "postgres": ("tables of a Postgres server", ("duckdb_extension_postgres_scanner",)),
    "sqlite": ("SQLite files together with other sources", ("duckdb_extension_sqlite_scanner",)),
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
        if not is_there(package):
            raise missing(package, extra)


def is_there(package: str) -> bool:
    """Whether a package is installed, also in a process that keeps it out of sight."""
    return package in sys.modules or PathFinder.find_spec(package) is not None


def is_installed(extra: str) -> bool:
    """Whether every package of an extra is there."""
    return all(map(is_there, EXTRAS[extra][1]))


def missing(package: str, extra: str) -> MissingExtra:
    """The error for a package that an extra brings."""
    return MissingExtra(
        f"This needs the package {package}, which is not installed.",
        hint=f'Install it with: pip install "averment[{extra}]"',
    )
