"""Which entries of a request are there already, so that a resumed run records no step twice.

Each watched request keeps the places of its entries. All of them share one reading position, moved forward under the
ledger's lock, so that every byte that other processes append is read once.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from averment.ledger.entry import LedgerEntry
from averment.ledger.lines import iter_lines, locate, parse_line

MAX_WATCHED = 1024

Place = tuple[int, int]
"""Offset and length of a line."""


@dataclass(slots=True)
class _Watch:
    since: int
    begin: int
    places: dict[str, Place] = field(default_factory=dict[str, Place])


class RequestIndex:
    """The places of entries by request and entry id, as far as the log was read."""

    def __init__(self) -> None:
        self._watched: OrderedDict[str, _Watch] = OrderedDict()
        self._position = 0

    def knows(self, request_id: str, since_sequence: int) -> bool:
        """Whether the request is watched from that number on or an earlier one."""
        watch = self._watched.get(request_id)
        return watch is not None and watch.since <= since_sequence

    def watch(self, descriptor: int, end: int, request_id: str, since_sequence: int) -> None:
        """Know the request's entries from that number on, up to where the index has read."""
        if not self._watched:
            # Nobody needs what lies before: begin to read at the end.
            self._position = end
        watch = self._watched.get(request_id) or _Watch(since=since_sequence, begin=self._position)
        begin = 0 if since_sequence == 1 else locate(descriptor, end, since_sequence)
        if begin < watch.begin:
            watch.places.update(_scan(descriptor, begin, watch.begin, request_id))
            watch.begin = begin
        watch.since = min(watch.since, since_sequence)
        # Only a request whose entries were all read is watched: a broken line must not pass for "not there".
        self._watched[request_id] = watch
        self._watched.move_to_end(request_id)
        while len(self._watched) > MAX_WATCHED:
            self._watched.popitem(last=False)

    def catch_up(self, descriptor: int, end: int) -> None:
        """Read what was appended since; the caller holds the lock, and ``end`` is the end of the last entry."""
        if not self._watched or self._position >= end:
            self._position = end
            return
        for offset, raw in iter_lines(descriptor, self._position, end):
            # Sorted keys put the request behind event_data, so its last mention is the entry's own.
            place = raw.rfind(b'"request_id": "')
            watch = self._watched.get(raw[place + 15 : place + 51].decode("ascii", "replace"))
            if watch is not None:
                watch.places[parse_line(raw).entry_id] = (offset, len(raw))
        self._position = end

    def find(self, request_id: str, entry_id: str) -> Place | None:
        """Where the entry is, if it is there."""
        watch = self._watched.get(request_id)
        return watch.places.get(entry_id) if watch is not None else None

    def add(self, entry: LedgerEntry, offset: int, length: int) -> None:
        """Take note of an entry that this process just appended at the reading position."""
        watch = self._watched.get(entry.request_id)
        if watch is not None:
            watch.places[entry.entry_id] = (offset, length)
        self._position = offset + length + 1

    def forget(self, request_id: str) -> None:
        """Stop watching a request that has ended."""
        self._watched.pop(request_id, None)


def _scan(descriptor: int, start: int, end: int, request_id: str) -> dict[str, Place]:
    mark = f'"request_id": "{request_id}"'.encode("ascii")
    return {
        parse_line(raw).entry_id: (offset, len(raw))
        for offset, raw in iter_lines(descriptor, start, end)
        if mark in raw[-200:]
    }
