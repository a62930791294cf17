"""Reminders that come: what is due rings once, is written to the log, waits for its user, and is sent to a webhook.

Whoever runs calls ``ring`` again and again: the server, or ``averment remind --watch``. Nothing is kept in memory, so a
restart loses and repeats nothing.
"""

from __future__ import annotations

import json
import logging
import urllib.request
from collections.abc import Callable, Sequence
from datetime import datetime
from http.client import HTTPException
from typing import TYPE_CHECKING

from averment.errors import InvalidSettings
from averment.records.base import utc_now
from averment.store.chat.tasks import LOCAL_USER

if TYPE_CHECKING:
    from averment.records.reminder import Reminder
    from averment.runtime.services import Services
    from averment.store.chat.reminders import ReminderStore

LOOK_SECONDS = 5.0
"""How often the clock is looked at."""
SEND_SECONDS = 10
_log = logging.getLogger("averment.reminders")


class Reminders:
    """The reminders of a home, or, with ``user_id``, those that one user sees."""

    def __init__(
        self, services: Services, *, user_id: str = LOCAL_USER, clock: Callable[[], datetime] = utc_now
    ) -> None:
        self._services = services
        self._user_id = user_id
        self._clock = clock

    def ring(self) -> Sequence[Reminder]:
        """Ring what is due for anybody, write it to the log and send it; returns what rang now."""
        rung = self._store.ring(self._clock())
        for one in rung:
            _log.info("%s [%s]", one.as_line(), one.user_id)
        self._send()
        return rung

    def waiting(self) -> Sequence[Reminder]:
        """What the user has not seen yet, the oldest first."""
        return self._store.waiting(user_id=self._user_id)

    def seen(self, reminder_id: str) -> None:
        """Note that the user has seen a reminder.

        Raises:
            TaskNotFound: the user has no such reminder.
        """
        self._store.seen(reminder_id, self._clock(), user_id=self._user_id)

    @property
    def _store(self) -> ReminderStore:
        return self._services.store.reminders

    def _send(self) -> None:
        address = self._services.settings.reminder_webhook
        if not address:
            return
        for one in self._store.lease(self._clock()):
            try:
                _post(address, one)
            except (OSError, HTTPException) as error:  # The errors of web addresses are among the first.
                _log.warning("The reminder %s was not taken by the webhook: %s", one.id, error)
                self._store.try_later(one, self._clock())
            else:
                self._store.sent(one.id, self._clock())


def _post(address: str, reminder: Reminder) -> None:
    if not address.startswith(("http://", "https://")):
        raise InvalidSettings("reminder_webhook must be an http or https URL.")
    told = reminder.model_dump(mode="json", exclude={"seen_at", "sent_at", "tries"})
    body = json.dumps({"type": "reminder", **told, "text": reminder.as_line()}, ensure_ascii=False).encode()
    headers = {"Content-Type": "application/json", "Idempotency-Key": reminder.id}
    with urllib.request.urlopen(urllib.request.Request(address, data=body, headers=headers), timeout=SEND_SECONDS):
        pass
