"""Which jail is taken, and that none is better than a weak one."""

# ruff: noqa: E501 - a snippet is one line

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from averment.errors import SandboxUnavailable
from averment.sandbox import bubblewrap, choose, container
from averment.sandbox.choose import available, strongest
from averment.sandbox.guest import kernel, landlock
from averment.settings import Settings


def test_kinds_are_listed_strongest_first_with_a_reason() -> None:
    kinds = available(Settings())
    assert [kind.name for kind in kinds] == ["gvisor", "bubblewrap", "docker", "landlock"]
    assert all(kind.why for kind in kinds)


def test_the_first_usable_kind_is_taken() -> None:
    usable = [kind.name for kind in available(Settings()) if kind.usable]
    if not usable:
        pytest.skip("no jail is usable here")
    assert strongest(Settings()).name == usable[0]


def test_the_settings_can_refuse_all_code() -> None:
    with pytest.raises(SandboxUnavailable):
        strongest(Settings(sandbox="none"))


def test_a_named_jail_is_taken_or_refused_but_never_replaced() -> None:
    for kind in available(Settings()):
        settings = Settings.model_validate({"sandbox": kind.name})
        if kind.usable:
            assert strongest(settings).name == kind.name
        else:
            with pytest.raises(SandboxUnavailable):
                strongest(settings)


@pytest.mark.seed("A-102")
def test_without_any_jail_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "find_program", lambda: None)
    monkeypatch.setattr(landlock, "abi", lambda: 0)
    monkeypatch.setattr(container, "_runtimes", lambda: None)
    assert not any(kind.usable for kind in available(Settings()))
    with pytest.raises(SandboxUnavailable) as refusal:
        strongest(Settings())
    assert set(refusal.value.details) == set(choose.ORDER)


def test_an_old_landlock_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "abi", lambda: 2)
    with pytest.raises(SandboxUnavailable):
        strongest(Settings(sandbox="landlock"))


def test_an_unknown_processor_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(kernel.UnsupportedMachine):
        kernel.machine()
    kinds = {kind.name: kind.usable for kind in available(Settings())}
    assert not kinds["bubblewrap"] and not kinds["landlock"]


# Becomes a plain user who can reach the interpreter: what lies in folders closed to others is bound below an open one.
PLAIN_USER = """
import os, sys
sys.path.insert(0, sys.argv[1])
from guest import kernel
if os.geteuid() == 0:
    closed = {p for root in sys.argv[3:] for p in map(str, __import__('pathlib').Path(root).parents)
              if not os.stat(p).st_mode & 0o001}
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount(None, '/', None, kernel.MS_REC | kernel.MS_PRIVATE)
    for place in sorted(closed):
        inner = [(root, os.open(root, os.O_PATH)) for root in sys.argv[3:] if root.startswith(place + '/')]
        kernel.mount('tmpfs', place, 'tmpfs', 0, 'mode=0755')
        for root, descriptor in inner:
            os.makedirs(root)
            kernel.mount(f'/proc/self/fd/{descriptor}', root, None, kernel.MS_BIND | kernel.MS_REC)
    os.setgroups([]); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)
if os.environ.get('FORBID'):
    user, group = os.getuid(), os.getgid()
    kernel.unshare(kernel.CLONE_NEWUSER)
    for name, text in (('setgroups', 'deny'), ('uid_map', f'{user} {user} 1'), ('gid_map', f'{group} {group} 1')):
        open(f'/proc/self/{name}', 'w').write(text)
    open('/proc/sys/user/max_user_namespaces', 'w').write('0')
    kernel.set_capabilities()
os.chdir('/')
exec(sys.argv[2])
"""
LOOK = """
import json, os, tempfile
from pathlib import Path
from averment.sandbox.choose import available, strongest
from averment.sandbox.protocol import Job
from averment.settings import Settings
found = {}
code = "import os, pandas as pd; print(os.getuid(), pd.DataFrame({'a': [1]}).a.sum()); open(OUT / 'a.csv', 'w').write('x')"
attack = "import os\\nfor p in ('/etc/passwd', '/proc/1/environ', os.path.expanduser('~/x')):\\n  try: open(p); print('PWNED')\\n  except OSError: pass"
for kind in available(Settings()):
    found[kind.name] = {"usable": kind.usable, "why": kind.why}
    if kind.usable and kind.name in ("bubblewrap", "landlock"):
        jail = strongest(Settings.model_validate({"sandbox": kind.name}))
        with tempfile.TemporaryDirectory() as folder:
            result = jail.run(Job(code=code), Path(folder) / "1")
            found[kind.name].update(status=result.status, stdout=result.stdout, files=list(result.files), stderr=result.stderr)
            found[kind.name]["attack"] = jail.run(Job(code=attack), Path(folder) / "2").stdout
            bomb = "import threading\\ne = threading.Event()\\nfor n in range(300): threading.Thread(target=e.wait, daemon=True).start()"
            found[kind.name]["bomb"] = jail.run(Job(code=bomb), Path(folder) / "3").status
        jail.close()
print(json.dumps(found))
"""


def look_as_plain_user(tmp_path: Path, *, forbid: bool) -> dict[str, dict[str, object]]:
    sandbox = Path(bubblewrap.__file__).resolve().parent
    roots = sorted({sys.base_prefix, sys.prefix, str(sandbox.parents[1])})
    scratch = Path("/tmp") / f"averment-plain-{os.getpid()}"
    scratch.mkdir(mode=0o777, exist_ok=True)
    scratch.chmod(0o777)
    environment = {"PATH": "/usr/bin:/bin", "TMPDIR": str(scratch), "LANG": "C.UTF-8"} | (
        {"FORBID": "1"} if forbid else {}
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", PLAIN_USER, str(sandbox), LOOK, *roots],
            capture_output=True,
            env=environment,
            timeout=120,
            check=False,
        )
        if done.returncode != 0:
            pytest.skip(f"a plain user cannot be played here: {done.stderr.decode()[-300:]}")
        assert list(scratch.iterdir()) == []
        return json.loads(done.stdout)
    finally:
        subprocess.run(["rm", "-rf", str(scratch)], check=True)


def check_jail(found: dict[str, object]) -> None:
    assert (found["status"], found["files"], found["attack"]) == ("ok", ["a.csv"], ""), found
    assert str(found["stdout"]).split()[1] == "1"
    assert found["bomb"] in ("error", "killed"), found


def test_a_plain_user_has_the_same_jails(tmp_path: Path) -> None:
    found = look_as_plain_user(tmp_path, forbid=False)
    mine = {kind.name: kind.usable for kind in available(Settings())}
    for name in ("bubblewrap", "landlock"):
        assert found[name]["usable"] == mine[name], found
        if mine[name]:
            check_jail(found[name])


def test_where_namespaces_are_forbidden_landlock_serves(tmp_path: Path) -> None:
    found = look_as_plain_user(tmp_path, forbid=True)
    assert found["bubblewrap"]["usable"] is False
    if landlock.abi() >= landlock.NEEDED_ABI:
        assert found["landlock"]["usable"] is True, found
        check_jail(found["landlock"])
