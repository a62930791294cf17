"""A jail that keeps a warm interpreter: take a spare child, hand it the job, watch it, pick up what it left."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path

from averment.errors import InvalidArguments, SandboxUnavailable
from averment.process_pool.children import is_readable
from averment.process_pool.spares import ProcessPool, Spare, ZygoteGone
from averment.sandbox.child import JailedChild
from averment.sandbox.collect import Collection, collect
from averment.sandbox.guest.folders import measure, remove
from averment.sandbox.guest.view import DISK_FACTOR, INODES, INPUT_BYTES
from averment.sandbox.outcome import told
from averment.sandbox.protocol import JailName, JailResult, Job
from averment.sandbox.watch import Ending, JobWatch

READY_SECONDS = 30.0

Owner = Callable[[str], int]
"""From a child's name to the user it will be, where that is not the caller."""


class WarmJail:
    """What the bubblewrap and the Landlock jail share; they differ in how the zygote is started.

    With ``private`` views the child's results come as a descriptor of its own memory file system. Otherwise every
    child has a folder below the jail's own temporary folder, removed after its job.
    """

    def __init__(self, *, name: JailName, spares: int, private: bool, owner: Owner | None) -> None:
        self._name: JailName = name
        self.private = private
        self._owner = owner
        self._folder: Path | None = None
        self._folder_owner = 0
        self._process_pool = ProcessPool(self.launch, spares, self._prepare)

    @property
    def name(self) -> JailName:
        """Which kind of jail this is, for the record."""
        return self._name

    def launch(self, control: int, caller: int) -> tuple[list[str], dict[str, str]]:
        """The command and environment that start the zygote with those two descriptors."""
        raise NotImplementedError

    @property
    def jobs(self) -> Path:
        """The folder of the children's folders, made when first asked for."""
        if self._folder is None or self._folder_owner != os.getpid():
            self._folder_owner = os.getpid()
            # Below a folder nobody else may enter, so that names inside need no protection of their own.
            self._folder = Path(tempfile.mkdtemp(prefix="averment-jail-"))
            if self._owner is not None:
                self._folder.chmod(0o711)
        return self._folder

    def run(self, job: Job, collect_to: Path) -> JailResult:
        """Run one job; see ``Jail.run``."""
        with _opened(job) as inputs:
            spare = self._take()
            try:
                results = self._await_ready(spare)
                try:
                    ending, collection = self._run_on(spare, results, job, inputs, collect_to)
                finally:
                    os.close(results)
            finally:
                spare.close()
                self._process_pool.refill()
                self._clean(spare.name)
        return told(self._name, ending, collection)

    def close(self) -> None:
        """End every process and remove the folder; see ``Jail.close``."""
        self._process_pool.close()
        folder, self._folder = self._folder, None
        if folder is not None and self._folder_owner == os.getpid():
            remove(folder)

    def _run_on(
        self, spare: Spare, results: int, job: Job, inputs: list[int], collect_to: Path
    ) -> tuple[Ending, Collection]:
        excess = None if self.private else lambda: self._disk_excess(spare.name, job)
        watch = JobWatch(JailedChild(spare), job, excess)
        _send(spare, job, inputs)
        ending = watch.wait()
        if refusal := _refusal(spare):
            raise SandboxUnavailable(f"The sandbox could not apply its restrictions: {refusal}.")
        if ending.status in ("ok", "error"):
            return ending, collect(results, collect_to, file_bytes=job.file_bytes)
        return ending, Collection()

    def _take(self) -> Spare:
        try:
            return self._process_pool.take()
        except ZygoteGone as error:
            raise SandboxUnavailable(f"The sandbox could not start: {error}.") from error

    def _await_ready(self, spare: Spare) -> int:
        if not is_readable(spare.job.fileno(), READY_SECONDS):
            raise SandboxUnavailable("The sandbox process did not become ready.")
        message, descriptors, _, _ = socket.recv_fds(spare.job, 4096, 2)
        if message != b"ready":
            raise SandboxUnavailable(f"The sandbox process did not become ready: {message.decode(errors='replace')}.")
        if descriptors:
            return descriptors[0]
        return os.open(self.jobs / spare.name / "out", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)

    def _prepare(self, name: str) -> None:
        if self.private:
            return
        home = self.jobs / name
        home.mkdir(mode=0o755)
        for part in ("in", "out", "tmp"):
            (home / part).mkdir(mode=0o755)
            if self._owner is not None:
                os.chown(home / part, self._owner(name), self._owner(name))

    def _clean(self, name: str) -> None:
        if not self.private and self._folder is not None:
            remove(self._folder / name)

    def _disk_excess(self, name: str, job: Job) -> str | None:
        size, count = 0, 0
        for part in ("out", "tmp"):
            more_size, more_count = measure(self.jobs / name / part, stop_after=INODES)
            size, count = size + more_size, count + more_count
        if size > job.file_bytes * DISK_FACTOR:
            return f"ended after filling more than {job.file_bytes * DISK_FACTOR} bytes of disk"
        return f"ended after making more than {INODES} files" if count > INODES else None


def _send(spare: Spare, job: Job, inputs: list[int]) -> None:
    code = os.memfd_create("code", os.MFD_CLOEXEC)
    try:
        with os.fdopen(os.dup(code), "wb") as file:
            file.write(job.code.encode())
        os.lseek(code, 0, os.SEEK_SET)
        header = {
            "inputs": list(job.inputs),
            "seconds": job.timeout_seconds,
            "memory": job.memory_mb << 20,
            "file_bytes": job.file_bytes,
        }
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # a dead child is seen by the watch
            socket.send_fds(spare.job, [json.dumps(header).encode()], [code, *inputs])
    finally:
        os.close(code)


def _refusal(spare: Spare) -> str | None:
    # The socket is closed before the code starts, so that only the fences themselves can have written here.
    if not is_readable(spare.job.fileno(), 0):
        return None
    try:
        message = spare.job.recv(4096, socket.MSG_DONTWAIT)
    except OSError:
        return None
    return message.decode(errors="replace") if message else None


@contextlib.contextmanager
def _opened(job: Job) -> Generator[list[int]]:
    opened: list[int] = []
    total = 0
    try:
        for name, path in job.inputs.items():
            try:
                descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            except OSError as error:
                raise InvalidArguments(f"The input {name} cannot be read: {error.strerror}.") from error
            opened.append(descriptor)
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise InvalidArguments(f"The input {name} is not a regular file.")
            total += status.st_size
        if total > INPUT_BYTES:
            raise InvalidArguments(f"The inputs have {total} bytes; the limit is {INPUT_BYTES}.")
        yield opened
    finally:
        for descriptor in opened:
            os.close(descriptor)
