"""Modules that others import and this process may never need: stand-ins that fetch the real one at its first use."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any


class _Later(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)  # the import system asks for these, and must not be answered by an import
        for known in [key for key, module in sys.modules.items() if isinstance(module, _Later)]:
            del sys.modules[known]
        return getattr(import_module(self.__name__), name)


@contextmanager
def imported_later(package: str, *parts: str) -> Generator[None]:
    """While the block imports others, they get stand-ins for the package and those parts of it, unless it is there.

    Afterwards the stand-ins are known only to those who took them: an import elsewhere gets the real package.
    """
    if package in sys.modules:
        yield
        return
    whole = _Later(package)
    names = {package: whole}
    for part in parts:
        names[f"{package}.{part}"] = _Later(f"{package}.{part}")
        setattr(whole, part, names[f"{package}.{part}"])
    sys.modules.update(names)
    try:
        yield
    finally:
        for name, module in names.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
