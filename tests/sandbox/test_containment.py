"""Attacks beyond the public corpus: each snippet prints ``PWNED`` if it gets anywhere."""

# ruff: noqa: E501 - a snippet is one line

from __future__ import annotations

from pathlib import Path

import pytest

from averment.sandbox.protocol import Jail, Job

SYSCALL = """
import ctypes, errno, platform
libc = ctypes.CDLL(None, use_errno=True)
arm = platform.machine() == 'aarch64'
def call(x86, on_arm, *args):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(on_arm if arm else x86), *args)
    return result, ctypes.get_errno()
def refused(x86, on_arm, *args):
    if call(x86, on_arm, *args)[1] not in (errno.EPERM, errno.ENOSYS): print('PWNED')
"""

# name: (number on x86_64, number on aarch64)
KERNEL_CALLS = {
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "request_key": (249, 218),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "process_vm_writev": (311, 271),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "open_tree": (428, 428),
    "mount_setattr": (442, 442),
    "kexec_load": (246, 104),
    "clock_settime": (227, 112),
    "settimeofday": (164, 170),
    "adjtimex": (159, 171),
    "setdomainname": (171, 162),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "setns": (308, 268),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "io_uring_setup": (425, 425),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "kcmp": (312, 272),
    "splice": (275, 76),
    "vmsplice": (278, 75),
    "tee": (276, 77),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "syslog": (103, 116),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "ioprio_set": (251, 30),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "setpriority": (140 + 1, 140),
    "setsid": (112, 157),
    "setpgid": (109, 154),
    "setuid": (105, 146),
    "setgroups": (116, 159),
    "capset": (126, 91),
    "chroot": (161, 51),
    "mknodat": (259, 33),
    "fchownat": (260, 54),
    "ptrace": (101, 117),
    "execveat": (322, 281),
    "seccomp": (317, 277),
    "landlock_restrict_self": (446, 446),
    "mlockall": (151, 230),
    "sync": (162, 81),
    "sendmsg": (46, 211),
    "recvmsg": (47, 212),
    "connect": (42, 203),
    "bind": (49, 200),
    "get_robust_list": (274, 100),
    "rt_sigqueueinfo": (129, 138),
    "tkill": (200, 130),
}

ATTEMPTS = {
    "a shell": "import os; os.execv('/bin/sh', ['sh', '-c', 'echo PWNED'])",
    "a spawned program": "import os; os.posix_spawn('/bin/echo', ['echo', 'PWNED'], {}); import time; time.sleep(0.2)",
    "a popen": "import os; print('PWNED' if os.popen('echo x').read() else '')",
    "vfork": "import _posixsubprocess, subprocess; subprocess._USE_VFORK = True; subprocess.run(['/bin/true']); print('PWNED')",
    "a pty": "import pty, os; pty.openpty(); print('PWNED')",
    "shared memory": "from multiprocessing import shared_memory as s; s.SharedMemory(create=True, size=10); print('PWNED')",
    "a datagram pair": "import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); print('PWNED')",
    "a netlink socket": "import socket; socket.socket(16, 3, 0); print('PWNED')",
    "a vsock": "import socket; socket.socket(40, 1); print('PWNED')",
    "name resolution": "import socket; socket.getaddrinfo('localhost', 80); socket.gethostbyname('example.org'); print('PWNED')",
    "users of the host": "print('PWNED', open('/etc/passwd').read())",
    "the process list": "import os; print('PWNED', os.listdir('/proc'))",
    "the first process": "print('PWNED', open('/proc/1/cmdline').read(), open('/proc/1/environ').read())",
    "the parent's memory": "import os; open(f'/proc/{os.getppid()}/mem', 'rb'); print('PWNED')",
    "the parent's descriptors": "import os; print('PWNED', os.listdir(f'/proc/{os.getppid()}/fd'))",
    "network tables": "print('PWNED', open('/proc/self/net/tcp').read())",
    "network tables of a thread": "import os, threading; print('PWNED', open(f'/proc/self/task/{threading.get_native_id()}/net/unix').read())",
    "mounts": "print('PWNED', open('/proc/self/mountinfo').read())",
    "its own memory file": "open('/proc/self/mem', 'r+b'); print('PWNED')",
    "its oom score": "open('/proc/self/oom_score_adj', 'w').write('-1000'); print('PWNED')",
    "block devices": "import glob; print('PWNED' if glob.glob('/dev/[sv]d*') + glob.glob('/sys/block/*') else '')",
    "the memory device": "open('/dev/mem', 'rb'); print('PWNED')",
    "the fuse device": "import os; os.open('/dev/fuse', os.O_RDWR); print('PWNED')",
    "system settings": "open('/proc/sys/kernel/hostname', 'w').write('x'); print('PWNED')",
    "the root folder": "import os; os.mkdir('/pwned'); print('PWNED')",
    "the interpreter's files": "import os, json; open(os.path.dirname(json.__file__) + '/x.py', 'w'); print('PWNED')",
    "emptying a library": "import json; open(json.__file__, os.O_TRUNC) if False else __import__('os').truncate(json.__file__, 0); print('PWNED')",
    "removing a library": "import os, json; os.remove(json.__file__); print('PWNED')",
    "a library's mode": """
import os, json
before = os.stat(json.__file__).st_mode
try: os.chmod(json.__file__, 0o777)
except OSError: pass
print('PWNED' if os.stat(json.__file__).st_mode != before else '')
""",
    "a library's times": """
import os, json
before = os.stat(json.__file__).st_mtime
try: os.utime(json.__file__, (1, 1))
except OSError: pass
print('PWNED' if os.stat(json.__file__).st_mtime != before else '')
""",
    "giving a file away": "import os; open('x', 'w').close(); os.chown('x', 0, 0); print('PWNED')",
    "a device file": "import os; os.mknod('d', 0o20666, os.makedev(1, 1)); print('PWNED')",
    "a named pipe": "import os; os.mkfifo(OUT / 'p'); print('PWNED')",
    "a bound socket": "import socket; s = socket.socket(socket.AF_UNIX); s.bind('s'); print('PWNED')",
    "climbing out": "print('PWNED', open('../../../../../../etc/passwd').read())",
    "climbing out by descriptor": "import os; fd = os.open('/proc/self/fd', os.O_RDONLY); print('PWNED', os.listdir(os.open('../root/etc', os.O_RDONLY, dir_fd=fd)))",
    "its own executable": "import os; fd = os.open('/proc/self/exe', os.O_WRONLY); print('PWNED')",
    "everyone": "import os, signal; os.kill(-1, signal.SIGKILL); print('PWNED')",
    "its group": "import os, signal; os.killpg(0, signal.SIGTERM); print('PWNED')",
    "a signal by ownership": "import fcntl, os; r, w = os.pipe(); fcntl.fcntl(r, 8, os.getppid()); print('PWNED')",
    "a larger pipe": "import fcntl, os; r, w = os.pipe(); fcntl.fcntl(r, 1031, 1 << 20); print('PWNED')",
    "a limit raised": "import resource as r; r.setrlimit(r.RLIMIT_NPROC, (r.RLIM_INFINITY,) * 2) if r.getrlimit(r.RLIMIT_AS)[1] < 0 else r.setrlimit(r.RLIMIT_AS, (r.RLIM_INFINITY,) * 2); print('PWNED')",
    "a limit of another": "import resource as r, os; r.prlimit(os.getppid(), r.RLIMIT_CPU, (1, 1)); print('PWNED')",
    "a core dump": "import resource as r; r.setrlimit(r.RLIMIT_CORE, (1, 1)); print('PWNED')",
    "a tracer": "import ctypes; l = ctypes.CDLL(None); print('PWNED' if l.prctl(0x59616d61, -1, 0, 0, 0) == 0 or l.prctl(4, 1, 0, 0, 0) == 0 else '')",
    "the death signal": "import ctypes; l = ctypes.CDLL(None); print('PWNED' if l.prctl(1, 0, 0, 0, 0) == 0 else '')",
    "all processors": "import os; os.sched_setaffinity(0, range(64)); print('PWNED')",
    "more than one processor": "import os; print('PWNED' if len(os.sched_getaffinity(0)) > 1 else '')",
    "duckdb files": "import duckdb; print('PWNED', duckdb.sql(\"select content from read_text('/etc/passwd')\").fetchall()[0])",
    "duckdb extensions": "import duckdb; duckdb.sql('install httpfs'); print('PWNED')",
    "duckdb outside": "import duckdb; duckdb.sql(\"copy (select 1) to '/var/tmp/pwned.csv'\"); print('PWNED')",
    "secrets in the environment": "import os; print('PWNED' if any('SECRET' in k or 'KEY' in k for k in os.environ) else '')",
    "inherited descriptors": """
import os
for fd in os.listdir('/proc/self/fd'):
    try: target = os.readlink(f'/proc/self/fd/{fd}')
    except OSError: continue
    if target.startswith('/') and not target.startswith(('/proc', '/dev/null', str(IN), str(OUT), '/jobs')): print('PWNED', fd, target)
""",
    "python from a file": "import sys, os; os.execv(sys.executable, [sys.executable, '-c', 'print(\"PWNED\")'])",
}


def attempt(jail: Jail, code: str, folder: Path) -> None:
    result = jail.run(Job(code=code, timeout_seconds=20), folder)
    assert "PWNED" not in [word for line in result.stdout.splitlines() for word in line.split()], result
    assert result.status in ("ok", "error"), result


@pytest.mark.seed("A-098")
@pytest.mark.parametrize("what", ATTEMPTS)
def test_an_attempt_gets_nowhere(jail: Jail, tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SECRET_KEY", "x")
    attempt(jail, ATTEMPTS[what], tmp_path / "out")


def test_every_kernel_call_that_reaches_out_is_refused(jail: Jail, tmp_path: Path) -> None:
    calls = "".join(f"refused({x86}, {arm}, 0, 0, 0, 0, 0)  # {name}\n" for name, (x86, arm) in KERNEL_CALLS.items())
    attempt(jail, SYSCALL + calls, tmp_path / "out")


@pytest.mark.seed("A-099")
def test_the_host_is_as_it_was(jail: Jail, tmp_path: Path) -> None:
    (tmp_path / "host").mkdir()
    victim = tmp_path / "host" / "notes.txt"
    victim.write_text("mine")
    (tmp_path / "host").chmod(0o777)
    victim.chmod(0o666)
    code = f"""
import os
v = {str(victim)!r}
for act in (lambda: open(v).read(), lambda: open(v, 'w'), lambda: open(v, 'a'), lambda: os.remove(v), lambda: os.rename(v, v + '2'),
            lambda: os.truncate(v, 0), lambda: os.link(v, 'x'), lambda: os.link(v, OUT / 'x.txt'), lambda: os.listdir(os.path.dirname(v)),
            lambda: os.symlink('/', v + '3'), lambda: os.mkdir(v + '4'), lambda: os.open(os.path.dirname(v), os.O_TMPFILE | os.O_RDWR)):
    try: act(); print('PWNED')
    except OSError: pass
for act in (lambda: os.chmod(v, 0), lambda: os.utime(v, (1, 1)), lambda: os.setxattr(v, 'user.x', b'x')):
    try: act()
    except OSError: pass
os.symlink(v, OUT / 'link.txt'); os.symlink(os.path.dirname(v), OUT / 'folder')
"""
    before = victim.stat()
    result = jail.run(Job(code=code), tmp_path / "out")
    assert result.stdout == "", result
    after = victim.stat()
    assert (victim.read_text(), after.st_mode, after.st_mtime_ns) == ("mine", before.st_mode, before.st_mtime_ns)
    assert [path.name for path in (tmp_path / "host").iterdir()] == ["notes.txt"]
    assert dict(result.files) == {}


def test_threads_are_bounded(jail: Jail, tmp_path: Path) -> None:
    code = """
import threading
threading.stack_size(65536)
n, stop = 0, threading.Event()
try:
    while n < 2000: threading.Thread(target=stop.wait, daemon=True).start(); n += 1
except RuntimeError: pass
print(n)
"""
    result = jail.run(Job(code=code), tmp_path / "out")
    assert result.status == "killed" or int(result.stdout) <= 64, result


@pytest.mark.parametrize(
    "code",
    [
        "while True: open(f'f{n}', 'w').close(); n += 1",
        "while True: os.symlink('x', f'l{n}'); n += 1",
        "while True: os.mkdir('d'); os.chdir('d'); n += 1",
    ],
)
def test_the_number_of_files_is_bounded(jail: Jail, tmp_path: Path, code: str) -> None:
    result = jail.run(
        Job(code=f"import os\nn = 0\ntry:\n    {code}\nexcept OSError: print(n)", timeout_seconds=30), tmp_path / "out"
    )
    assert (result.status == "killed" and "files" in (result.error or "")) or int(result.stdout) <= 4_096, result


def test_the_disk_is_bounded(jail: Jail, tmp_path: Path) -> None:
    code = "n = 0\ntry:\n    while True: open(f'f{n}', 'wb').write(b'x' * 900_000); n += 1\nexcept OSError: print(n)"
    result = jail.run(Job(code=code, file_bytes=1 << 20, timeout_seconds=30), tmp_path / "out")
    assert (result.status == "killed" and "disk" in (result.error or "")) or int(result.stdout) <= 4, result
    code = "open(OUT / 'big.csv', 'wb').truncate(1 << 40)"
    assert jail.run(Job(code=code), tmp_path / "out").error == "OSError: [Errno 27] File too large"
