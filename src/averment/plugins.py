"""Extension points: what separately installed packages add, found by their entry points and loaded when first needed.

An entry point's group says what it adds (``averment.tools`` …), its name what the thing is called there. Looking for
them imports nothing of a plugin. A plugin that cannot be loaded, or that takes a name which is taken, adds nothing and
breaks nothing: ``problems`` names it, and whoever asks for the very thing gets the reason as an error.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.metadata import EntryPoint, PathDistribution
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic_core import CoreSchema, core_schema

from averment.errors import PluginFailed

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler

POINTS: Mapping[str, str] = {
    "tools": "a tool that runs may call",
    "agents": "an agent that answers runs of a kind of its own",
    "sources": "a kind of file whose rows can be asked about",
    "engines": "an engine that is queried in place, by its own URL",
    "readers": "a kind of document that the corpus reads",
    "providers": "a search service for research",
    "jails": "a sandbox for code",
    "charts": "a kind of chart",
    "operations": "an operation of the plan language",
    "claims": "a relation that claims state and check",
    "exports": "a format that reports are exported to",
    "models": "a provider of language models",
}
"""Every extension point and what it takes; the entry-point group is ``averment.`` and the point."""

PREFIX = "averment."
_NO_CONTENT = frozenset({"RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "WHEEL"})
"""Files of an installation that say how it was installed, not what it holds."""

STORED = "stored"
"""The key of a validation's context that says: this was valid when it was kept, whatever is installed now."""

T = TypeVar("T")


@dataclass(frozen=True)
class OneOf:
    """A field's name at an extension point: one of our own, or one that a plugin adds; for ``Annotated[str, …]``.

    The JSON schema lists both. What was kept before is taken as it is. ``others`` are further names of our own, which
    the field does not take and no plugin can have.
    """

    point: str
    own: tuple[str, ...]
    others: tuple[str, ...] = ()

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(schema), "enum": [*self.own, *self._added()]}

    def _check(self, name: str, info: core_schema.ValidationInfo) -> str:
        if name in self.own or (info.context or {}).get(STORED) or name in self._added():
            return name
        known = ", ".join((*self.own, *self._added()))
        raise ValueError(f"there is no {name} among the {self.point}: {known}")

    def _added(self) -> tuple[str, ...]:
        return names(self.point, (*self.own, *self.others))


@dataclass(frozen=True, kw_only=True)
class Plugin:
    """An installed package that adds something: its name and version, and the hash of what it holds."""

    name: str
    version: str
    sha256: str

    def as_dict(self) -> dict[str, str]:
        """The plugin as the ledger names it."""
        return {"plugin": self.name, "version": self.version, "sha256": self.sha256}


@dataclass(frozen=True, kw_only=True)
class Addition:
    """One thing that a plugin adds: at which point, under which name, and, if it cannot be used, why not.

    ``problem`` is a sentence, ``reason`` its kind: ``unknown_point``, ``import_path_only``, ``name_taken``,
    ``added_twice``, ``not_loadable``, ``wrong_type`` or ``wrong_name``; an error has it in its details.
    """

    point: str
    name: str
    plugin: str
    version: str
    problem: str | None = None
    reason: str | None = None


@dataclass(frozen=True)
class _Found:
    point: str
    entry: EntryPoint
    distribution: PathDistribution

    @property
    def plugin(self) -> str:
        return str(self.distribution.metadata["Name"])

    @property
    def folder(self) -> str:
        """Where it lies among the folders that packages are imported from."""
        return str(Path(str(self.distribution.locate_file(""))).resolve())


def names(point: str, taken: Iterable[str] = ()) -> tuple[str, ...]:
    """The names that plugins add at a point, without those that are ``taken`` or that two plugins want."""
    found = [each.entry.name for each in _installed().get(point, ())]
    held = set(taken)
    return tuple(sorted({name for name in found if found.count(name) == 1 and name not in held}))


def load(point: str, name: str, kind: type[T], taken: Iterable[str] = ()) -> T:
    """What a plugin adds under that name.

    Raises:
        PluginFailed: there is none, two plugins or Averment itself have the name, or it cannot be loaded.
    """
    found = [each for each in _installed().get(point, ()) if each.entry.name == name]
    if not found:
        raise _failed("not_installed", f"No installed plugin adds {name} to the {point}.")
    if name in set(taken):
        raise _failed("name_taken", f"{found[0].plugin} may not replace {name}, which Averment has itself.")
    if len(found) > 1:
        both = " and ".join(sorted(each.plugin for each in found))
        message = f"{both} both add {name} to the {point}; neither is used."
        raise _failed("added_twice", message, hint="Uninstall one of them.")
    value = _loaded(found[0])
    if not isinstance(value, kind):
        message = f"{name} of {found[0].plugin} is of the type {type(value).__name__}; a {kind.__name__} is needed."
        raise _failed("wrong_type", message)
    if getattr(value, "name", name) != name:
        raise _failed("wrong_name", f"{found[0].plugin} declares {name}, but calls it {getattr(value, 'name', '')}.")
    return value


def _failed(reason: str, message: str, hint: str | None = None) -> PluginFailed:
    return PluginFailed(message, hint=hint, details={"reason": reason})


def additions(point: str, kind: type[T], taken: Iterable[str] = ()) -> dict[str, T]:
    """Everything usable that plugins add at a point, by name; what cannot be loaded is left to ``problems``."""
    held = tuple(taken)
    usable: dict[str, T] = {}
    for name in names(point, held):
        try:
            usable[name] = load(point, name, kind, held)
        except PluginFailed:
            continue
    return usable


def any_installed() -> bool:
    """Whether there is a plugin at all."""
    return bool(_installed())


def owner(point: str, name: str) -> Plugin | None:
    """The plugin that adds a name at a point, with the hash of its files; None where none does."""
    for each in _installed().get(point, ()):
        if each.entry.name == name:
            return _described(each.distribution)
    return None


def installed(name: str) -> Plugin | None:
    """The plugin of that package name, if it is installed."""
    for each in (one for group in _installed().values() for one in group):
        if each.plugin == name:
            return _described(each.distribution)
    return None


def overview(
    kinds: Mapping[str, tuple[type[Any], Iterable[str]]], seen: Callable[[], Iterable[str]]
) -> tuple[Addition, ...]:
    """All that plugins add, each loaded once to see whether it can be used.

    ``kinds`` says for each point which type it takes and which names are taken, ``seen`` in which folders the processes
    that read files find packages.
    """
    if not any_installed():
        return ()
    folders = {str(Path(folder).resolve()) for folder in seen()}
    told: list[Addition] = []
    for point, group in sorted(_installed().items()):
        for each in sorted(group, key=lambda one: (one.entry.name, one.plugin)):
            added = Addition(point=point, name=each.entry.name, plugin=each.plugin, version=each.distribution.version)
            try:
                if point not in kinds:
                    raise _failed("unknown_point", f"There is no extension point {PREFIX}{point}.")
                load(point, each.entry.name, *kinds[point])
                if each.folder not in folders:
                    raise _failed(
                        "import_path_only",
                        f"{each.plugin} is on the import path of this process alone (by PYTHONPATH, or as a package of "
                        "the user); the processes that read files do not see it. Install it into this environment.",
                    )
            except PluginFailed as error:
                added = replace(added, problem=error.message, reason=str(error.details["reason"]))
            told.append(added)
    return tuple(told)


@lru_cache(maxsize=1)
def _installed() -> Mapping[str, tuple[_Found, ...]]:
    """Every entry point of ours, by its point. Only packages whose list of entry points names us are looked into."""
    found: dict[str, list[_Found]] = {}
    seen: set[str] = set()
    for folder in dict.fromkeys(sys.path):
        try:
            places = sorted(Path(each.path) for each in os.scandir(folder or ".") if each.name.endswith(".dist-info"))
        except OSError:
            continue
        for place in places:
            try:
                declared = (place / "entry_points.txt").read_bytes()
            except OSError:
                continue
            if b"[averment." not in declared.replace(b" ", b""):
                continue
            distribution = PathDistribution(place)
            name = str(distribution.metadata["Name"])
            if name in seen:
                continue  # Python itself would import the earlier one.
            seen.add(name)
            for entry in distribution.entry_points:
                if entry.group.startswith(PREFIX):
                    point = entry.group.removeprefix(PREFIX)
                    found.setdefault(point, []).append(_Found(point, entry, distribution))
    return {point: tuple(group) for point, group in found.items()}


def look_again() -> None:
    """Forget what was found and loaded: something was installed or taken away while this process ran."""
    _installed.cache_clear()
    _values.clear()
    _described_before.clear()


_values: dict[tuple[str, str, str], object] = {}


def _loaded(found: _Found) -> object:
    key = (found.plugin, found.point, found.entry.name)
    if key not in _values:
        try:
            _values[key] = found.entry.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a stranger's module may raise anything when imported
            _values[key] = _failed(
                "not_loadable",
                f"{found.plugin} {found.distribution.version} cannot be loaded for {found.entry.name}: "
                f"{type(error).__name__}: {error}",
                hint="Repair or uninstall the plugin; everything else works without it.",
            )
    value = _values[key]
    if isinstance(value, PluginFailed):
        raise value  # It is not imported a second time: half of it may be there already.
    return value


_described_before: dict[str, Plugin] = {}


def _described(distribution: PathDistribution) -> Plugin:
    name = str(distribution.metadata["Name"])
    if name not in _described_before:
        digest = hashlib.sha256()
        for relative, content in sorted(_contents(distribution).items()):
            digest.update(f"{relative}\0{hashlib.sha256(content).hexdigest()}\n".encode())
        _described_before[name] = Plugin(name=name, version=distribution.version, sha256=digest.hexdigest())
    return _described_before[name]


def _contents(distribution: PathDistribution) -> dict[str, bytes]:
    """The files of a distribution by their place below the folder it is installed in.

    The packages of its entry points are read where Python finds them, since an editable installation lists none.
    """
    files: dict[str, Path] = {}
    for listed in distribution.files or ():
        path = Path(str(listed.locate()))
        outside = listed.parts[0] == ".." or listed.name in _NO_CONTENT or listed.suffix in {".pyc", ".pth"}
        if not outside and path.is_file():
            files[listed.as_posix()] = path
    for top in {each.module.partition(".")[0] for each in distribution.entry_points if each.group.startswith(PREFIX)}:
        spec = find_spec(top)
        for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
            for path in Path(folder).rglob("*"):
                if path.is_file() and path.suffix != ".pyc":
                    files[f"{top}/{path.relative_to(folder).as_posix()}"] = path
        if spec is not None and not spec.submodule_search_locations and spec.origin:
            files[Path(spec.origin).name] = Path(spec.origin)
    return {relative: path.read_bytes() for relative, path in files.items()}
