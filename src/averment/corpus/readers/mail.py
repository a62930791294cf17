"""E-mail: subject, sender, date and the readable body; attachments are named and not opened."""

from __future__ import annotations

import email
import email.policy
from email.errors import MessageError
from email.message import EmailMessage

from averment.corpus.dates import read_date
from averment.corpus.readers.html import read_html
from averment.corpus.readers.limits import DocumentLimits
from averment.corpus.readers.plain import within
from averment.corpus.readers.reading import Reading, Unreadable

_MOST_PARTS = 200
_MOST_LINES = 20 * _MOST_PARTS


def read_mail(content: bytes, limits: DocumentLimits) -> Reading:
    """The headers a reader sees, then the plain body, or the HTML body where there is no plain one.

    Raises:
        Unreadable: it is no message, or has more parts than any letter has.
    """
    if content.count(b"\n--") > _MOST_LINES:
        # Taking a letter apart takes time that grows faster than its parts.
        raise Unreadable("SOURCE_UNREADABLE", f"it has more than {_MOST_PARTS} parts")
    try:
        message = email.message_from_bytes(content, policy=email.policy.default)
        assert isinstance(message, EmailMessage)
        if not message.keys():
            raise Unreadable("SOURCE_UNREADABLE", "it has no headers")
        if sum(1 for _, _ in zip(message.walk(), range(_MOST_PARTS + 1), strict=False)) > _MOST_PARTS:
            raise Unreadable("SOURCE_UNREADABLE", f"it has more than {_MOST_PARTS} parts")
        head = [f"{name}: {message[name]}" for name in ("Subject", "From", "To", "Date") if message[name]]
        body = _body(message, limits)
        attached = [part.get_filename() or part.get_content_type() for part in message.iter_attachments()]
        title = str(message["Subject"] or "")
        published = read_date(str(message["Date"])) if message["Date"] else None
    except (MessageError, LookupError, ValueError, AttributeError, TypeError, RecursionError) as error:
        raise Unreadable("SOURCE_UNREADABLE", f"it is not an intact message ({type(error).__name__})") from error
    text = "\n".join(head) + "\n\n" + body
    within(text, limits)
    notes = tuple(f"attachment not read: {name}" for name in attached[:20])
    return Reading(text=text, title=title, published_at=published, notes=notes)


def _body(message: EmailMessage, limits: DocumentLimits) -> str:
    part = message.get_body(preferencelist=("plain", "html"))
    if part is None:
        return ""
    payload = part.get_payload(decode=True)
    content = payload if isinstance(payload, bytes) else b""
    charset = part.get_content_charset()
    if part.get_content_subtype() == "html":
        return read_html(content, limits, declared=charset).text
    from averment.corpus.readers.plain import decode

    return decode(content, charset)[0]
