"""Optional packages: what is heavy and not always needed is installed as an extra, and asked for by its name."""

from __future__ import annotations

from importlib.util import find_spec
from types import TracebackType

from averment.errors.request import MissingExtra


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


def missing(package: str, extra: str) -> MissingExtra:
    """The error for a package that an extra brings."""
    return MissingExtra(
        f"This needs the package {package}, which is not installed.",
        hint=f'Install it with: pip install "averment[{extra}]"',
    )
