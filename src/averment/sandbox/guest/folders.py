"""Folders that hostile code has filled: measuring them while it runs, removing them when it is dead.

Such a tree may be deeper than any path is long, and hold folders that nobody may enter.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

MAX_DEPTH = 64
_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


def measure(folder: Path, *, stop_after: int) -> tuple[int, int]:
    """Bytes on disk and entries below a folder that may change meanwhile.

    Counting stops past the given entries. What cannot be counted (too deep, not to be entered) counts as too many.
    """
    size, count = 0, 0
    waiting = [(folder, 0)]
    while waiting and count <= stop_after:
        place, depth = waiting.pop()
        if depth > MAX_DEPTH:
            return size, stop_after + 1
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    count += 1
                    if count > stop_after:
                        break
                    with contextlib.suppress(FileNotFoundError):
                        status = entry.stat(follow_symlinks=False)
                        size += status.st_blocks * 512
                        if stat.S_ISDIR(status.st_mode):
                            waiting.append((Path(entry.path), depth + 1))
        except FileNotFoundError:
            continue
        except OSError:
            return size, stop_after + 1
    return size, count


def remove(folder: Path) -> None:
    """Remove a folder and all it holds, however deep; nothing is followed and no path grows.

    Every folder inside is emptied by moving its own folders up to the top, one level at a time.
    """
    try:
        top = os.open(folder, _OPEN_FOLDER)
    except FileNotFoundError:
        return
    try:
        number = 0
        while names := _names(top):
            for name in names:
                if not _is_folder(top, name):
                    os.unlink(name, dir_fd=top)
                    continue
                number = _empty(top, name, number)
                os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)
    folder.rmdir()


def _names(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.name for entry in entries]


def _is_folder(parent: int, name: str) -> bool:
    return stat.S_ISDIR(os.lstat(name, dir_fd=parent).st_mode)


def _empty(top: int, name: str, number: int) -> int:
    os.chmod(name, 0o700, dir_fd=top)  # no link: its kind was just looked at, and whoever could change it is dead
    inner = os.open(name, _OPEN_FOLDER, dir_fd=top)
    try:
        for entry in _names(inner):
            if not _is_folder(inner, entry):
                os.unlink(entry, dir_fd=inner)
                continue
            os.chmod(entry, 0o700, dir_fd=inner)
            number = _move_up(inner, entry, top, number)
    finally:
        os.close(inner)
    return number


def _move_up(inner: int, entry: str, top: int, number: int) -> int:
    while True:
        number += 1
        try:
            os.rename(entry, f".moved-{number}", src_dir_fd=inner, dst_dir_fd=top)
        except OSError as error:
            if error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR, errno.EISDIR):
                raise
        else:
            return number
