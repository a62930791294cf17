"""Which jails this machine offers, and the strongest of them.

The order, strongest first, and why:

1. **gvisor**: the code talks to a second kernel, written in a memory-safe language; the host's own is out of its reach.
2. **bubblewrap**: namespaces, a root with nothing in it, Landlock, and a filter that leaves about 200 of the host
   kernel's calls, without process, program or socket; no daemon, no image, and milliseconds a call.
3. **docker**: namespaces and control groups, but a filter that leaves more than 300 calls, programs and processes
   inside, and a daemon that is root.
4. **landlock**: the same fences as 2 around the code, without a root of its own.

Code never runs without a jail: where none is usable, ``strongest`` refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from averment import plugins
from averment.errors import SandboxUnavailable
from averment.sandbox import bubblewrap, container, landlock_jail
from averment.sandbox.guest import kernel
from averment.sandbox.guest import landlock as landlock_rules
from averment.sandbox.protocol import Jail, JailName
from averment.settings import Settings

ORDER: tuple[JailName, ...] = ("gvisor", "bubblewrap", "docker", "landlock")


@dataclass(frozen=True, kw_only=True)
class AddedJail:
    """A kind of jail that a plugin adds. It is used only where the settings name it, never by ``auto``.

    ``lacks`` says why it cannot be used on this machine, or nothing where it can; ``make`` gives the jail.
    """

    name: str
    lacks: Callable[[Settings], str | None]
    make: Callable[[Settings], Jail]


@dataclass(frozen=True, kw_only=True)
class JailKind:
    """One kind of jail: whether this machine offers it, and what it is made of or why it is missing."""

    name: JailName
    usable: bool
    why: str


def available(settings: Settings) -> list[JailKind]:
    """Every kind of jail, strongest first, each tried for real."""
    return [_look(name, settings) for name in ORDER]


def strongest(settings: Settings) -> Jail:
    """The jail the settings name, or the strongest usable one; it starts when it is first used.

    Raises:
        SandboxUnavailable: the settings refuse all code, or what they ask for is not usable here.
        PluginFailed: they name a jail that a plugin adds, and it cannot be loaded.
    """
    if settings.sandbox == "none":
        raise SandboxUnavailable(
            "The settings do not allow any code to run.", hint="Set sandbox to auto to run code in a sandbox."
        )
    missing: list[JailKind] = []
    for name in ORDER if settings.sandbox == "auto" else (settings.sandbox,):
        kind = _look(name, settings)
        if kind.usable:
            return _make(name, settings)
        missing.append(kind)
    reasons = "; ".join(f"{kind.name}: {kind.why}" for kind in missing)
    raise SandboxUnavailable(
        f"No sandbox is available, so code cannot run ({reasons}).", details={kind.name: kind.why for kind in missing}
    )


def _look(name: JailName, settings: Settings) -> JailKind:
    if name not in ORDER:
        lacks = plugins.load("jails", name, AddedJail, ORDER).lacks(settings)
        return JailKind(name=name, usable=lacks is None, why=lacks or "added by a plugin")
    if name in ("gvisor", "docker"):
        lacks = container.lacks(settings.sandbox_image, gvisor=name == "gvisor")
        return JailKind(name=name, usable=lacks is None, why=lacks or f"image {settings.sandbox_image}")
    try:
        kernel.machine()
    except kernel.UnsupportedMachine as error:
        return JailKind(name=name, usable=False, why=str(error))
    return _look_for_bubblewrap() if name == "bubblewrap" else _look_for_landlock()


def _look_for_bubblewrap() -> JailKind:
    program = bubblewrap.find_program()
    if program is None:
        return JailKind(name="bubblewrap", usable=False, why="bubblewrap is not installed")
    found = bubblewrap.rehearse(program, private=True)
    if found.failure is None:
        rules = f"Landlock {found.landlock}" if found.landlock else "no Landlock"
        return JailKind(name="bubblewrap", usable=True, why=f"namespaces for every child, {rules}, seccomp")
    shared = bubblewrap.rehearse(program, private=False)
    if shared.failure is None and shared.landlock >= landlock_rules.NEEDED_ABI:
        return JailKind(name="bubblewrap", usable=True, why=f"shared namespaces, Landlock {shared.landlock}, seccomp")
    return JailKind(name="bubblewrap", usable=False, why=shared.failure or found.failure)


def _look_for_landlock() -> JailKind:
    version = landlock_rules.abi()
    if version < landlock_rules.NEEDED_ABI:
        why = f"the kernel's Landlock is version {version}; {landlock_rules.NEEDED_ABI} is needed"
        return JailKind(name="landlock", usable=False, why=why)
    found = landlock_jail.rehearse()
    if found.failure is not None:
        return JailKind(name="landlock", usable=False, why=found.failure)
    return JailKind(name="landlock", usable=True, why=f"Landlock {version}, seccomp, no namespaces")


def _make(name: JailName, settings: Settings) -> Jail:
    if name not in ORDER:
        return plugins.load("jails", name, AddedJail, ORDER).make(settings)
    if name in ("gvisor", "docker"):
        return container.ContainerJail(image=settings.sandbox_image, gvisor=name == "gvisor")
    if name == "landlock":
        return landlock_jail.LandlockJail(spares=settings.sandbox_spares)
    program = bubblewrap.find_program()
    if program is None:
        raise SandboxUnavailable("bubblewrap is not installed.")
    private = bubblewrap.rehearse(program, private=True).failure is None
    return bubblewrap.BubblewrapJail(program=program, private=private, spares=settings.sandbox_spares)
