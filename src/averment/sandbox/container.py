"""Docker and gVisor behind the same protocol, by the ``docker`` client: one fresh container for every job.

As the contract asks: bounded memory, one processor, no network, a read-only root with a ``/tmp`` to work in, 180
seconds at most; with gVisor the container's system calls go to ``runsc``. The image must be present and hold a
Python with the analysis packages; it is never pulled.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import tempfile
import uuid
from dataclasses import dataclass
from pathlib import Path

from averment.errors import InvalidArguments, SandboxUnavailable
from averment.sandbox import runtime
from averment.sandbox.child import signal_name
from averment.sandbox.collect import Collection, collect
from averment.sandbox.guest.folders import measure
from averment.sandbox.guest.limits import OPEN_FILES, TASKS
from averment.sandbox.guest.view import DISK_FACTOR, INODES
from averment.sandbox.outcome import told
from averment.sandbox.protocol import JailName, JailResult, Job
from averment.sandbox.watch import JobWatch, Verdict

CLIENT_SECONDS = 20.0
_NOBODY = "65534:65534"
_GUEST_PARENT = "/opt/averment"
_SIGNALLED = 128


def arguments(job: Job, folder: Path, *, name: str, image: str, gvisor: bool) -> list[str]:
    """The whole ``docker run`` command for a job whose ``in`` and ``out`` lie in the folder."""
    disk = job.file_bytes * DISK_FACTOR
    built = ["docker", "run", "--interactive", "--name", name, "--pull", "never", "--network", "none", "--read-only"]
    if gvisor:
        built += ["--runtime", "runsc"]
    built += ["--memory", f"{job.memory_mb}m", "--memory-swap", f"{job.memory_mb}m", "--cpus", "1"]
    built += ["--pids-limit", str(TASKS), "--user", _NOBODY, "--cap-drop", "ALL", "--hostname", "jail", "--ipc", "none"]
    built += ["--security-opt", "no-new-privileges", "--log-driver", "none", "--init=false"]
    for limit, value in (("core", 0), ("fsize", job.file_bytes), ("nofile", OPEN_FILES)):
        built += ["--ulimit", f"{limit}={value}:{value}"]
    built += ["--tmpfs", f"/tmp:rw,noexec,nosuid,nodev,mode=1777,size={disk},nr_inodes={INODES}", "--workdir", "/tmp"]
    built += [
        "--mount",
        f"type=bind,src={folder}/in,dst=/in,readonly",
        "--mount",
        f"type=bind,src={folder}/out,dst=/out",
    ]
    built += ["--mount", f"type=bind,src={runtime.GUEST},dst={_GUEST_PARENT}/guest,readonly"]
    for key, value in {**runtime.ENVIRONMENT, "HOME": "/tmp"}.items():
        if key != "PATH":
            built += ["--env", f"{key}={value}"]
    return [*built, image, *runtime.command(Path("python"), _GUEST_PARENT, "boxed", "")]


def lacks(image: str, *, gvisor: bool) -> str | None:
    """Why the jail is not usable here, or None when it is."""
    if shutil.which("docker") is None:
        return "the docker client is not installed"
    runtimes = _runtimes()
    if runtimes is None:
        return "no Docker engine answers"
    if gvisor and "runsc" not in runtimes:
        return "the Docker engine has no runsc runtime"
    if _ask("image", "inspect", "--format", "{{.Id}}", image) is None:
        return f"the image {image} is not on this machine"
    return None


@functools.lru_cache(maxsize=1)
def _runtimes() -> frozenset[str] | None:
    answer = _ask("info", "--format", "{{json .Runtimes}}")
    try:
        found = json.loads(answer or "null")
    except ValueError:
        return None
    return frozenset(found) if isinstance(found, dict) else None


def _ask(*words: str) -> str | None:
    try:
        done = subprocess.run(
            ["docker", *words],
            capture_output=True,
            text=True,
            timeout=CLIENT_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


@dataclass(frozen=True, kw_only=True)
class _Container:
    name: str
    client: subprocess.Popen[bytes]
    stdout: int
    stderr: int
    handle: int

    @property
    def is_the_job(self) -> bool:
        return False  # the process here is the client; the engine bounds the job's memory and tasks

    def kill(self) -> None:
        _ask("kill", self.name)
        self.client.kill()

    def verdict(self, job: Job) -> Verdict:
        state = _ask("inspect", "--format", "{{.State.OOMKilled}} {{.State.ExitCode}} {{.State.Status}}", self.name)
        words = (state or "").split()
        if len(words) != 3 or words[2] != "exited":
            return "killed", None, "the engine did not run the container to its end"
        code = int(words[1])
        if words[0] == "true" or code == _SIGNALLED + 10:
            return "memory", None, f"ended after asking for more than {job.memory_mb} MB"
        if code > _SIGNALLED:
            return "killed", None, f"ended by {signal_name(code - _SIGNALLED)}"
        return ("ok" if code == 0 else "error"), code, None


class ContainerJail:
    """A jail of one container a job; ``gvisor`` asks for the runsc runtime."""

    def __init__(self, *, image: str, gvisor: bool) -> None:
        self._image = image
        self._gvisor = gvisor

    @property
    def name(self) -> JailName:
        """Which kind of jail this is, for the record."""
        return "gvisor" if self._gvisor else "docker"

    def run(self, job: Job, collect_to: Path) -> JailResult:
        """Run one job in a container of its own; see ``Jail.run``."""
        with tempfile.TemporaryDirectory(prefix="averment-box-", ignore_cleanup_errors=True) as place:
            folder = Path(place)
            _lay_out(job, folder)
            container = self._start(job, folder)
            try:
                ending = JobWatch(container, job, lambda: _disk_excess(folder / "out", job)).wait()
                collection = Collection()
                if ending.status in ("ok", "error"):
                    results = os.open(folder / "out", os.O_RDONLY | os.O_DIRECTORY)
                    try:
                        collection = collect(results, collect_to, file_bytes=job.file_bytes)
                    finally:
                        os.close(results)
            finally:
                container.client.kill()
                container.client.communicate()
                os.close(container.handle)
                _ask("rm", "--force", "--volumes", container.name)
        return told(self.name, ending, collection)

    def close(self) -> None:
        """Nothing stays between jobs."""

    def _start(self, job: Job, folder: Path) -> _Container:
        name = f"averment-{uuid.uuid4().hex}"
        with tempfile.TemporaryFile() as code:
            code.write(job.code.encode())
            code.seek(0)
            try:
                client = subprocess.Popen(
                    arguments(job, folder, name=name, image=self._image, gvisor=self._gvisor),
                    stdin=code,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                )
            except OSError as error:
                raise SandboxUnavailable(f"The docker client could not start: {error}.") from error
        assert client.stdout is not None and client.stderr is not None
        return _Container(
            name=name,
            client=client,
            stdout=client.stdout.fileno(),
            stderr=client.stderr.fileno(),
            handle=os.pidfd_open(client.pid),
        )


def _lay_out(job: Job, folder: Path) -> None:
    for part, mode in (("in", 0o755), ("out", 0o777)):
        (folder / part).mkdir()
        (folder / part).chmod(mode)
    for name, path in job.inputs.items():
        try:
            shutil.copyfile(path, folder / "in" / name)
        except OSError as error:
            raise InvalidArguments(f"The input {name} cannot be read: {error.strerror}.") from error
        (folder / "in" / name).chmod(0o444)


def _disk_excess(folder: Path, job: Job) -> str | None:
    size, count = measure(folder, stop_after=INODES)
    if size > job.file_bytes * DISK_FACTOR:
        return f"ended after filling more than {job.file_bytes * DISK_FACTOR} bytes of disk"
    return f"ended after making more than {INODES} files" if count > INODES else None
