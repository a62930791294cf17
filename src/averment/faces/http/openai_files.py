"""Files that a client of OpenAI's protocol puts into a message: kept as uploads and named by their references."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Any

from averment.agents.assistant.sources import reference_to, sent_suffixes, uploads_only
from averment.errors import InvalidRequest, RequestTooLarge
from averment.faces.http.limits import Limits
from averment.faces.http.uploads import UploadFolder
from averment.store.storage.configured import open_files
from averment.store.storage.uploads import published
from averment.workbench import Workbench


def keep_files(workbench: Workbench, given: Sequence[dict[str, Any]], limits: Limits) -> list[str]:
    """The references of a message's files: those of uploads by ``file_id``, others by their ``file_data``.

    Raises:
        InvalidRequest: a file has neither, or is no base64.
        RequestTooLarge: there are too many, or one is too large.
    """
    if len(given) > limits.max_files:
        raise RequestTooLarge(f"A message may have at most {limits.max_files} files.")
    named = [str(file["file_id"]) for file in given if file.get("file_id")]
    if named:
        files = open_files(workbench.settings)
        uploads_only(workbench.settings.home, files=files, owns=workbench.home.owns_upload)(named)
    sent = [file for file in given if not file.get("file_id")]
    return [*named, *_written(workbench, sent, limits)] if sent else named


def _written(workbench: Workbench, sent: Sequence[dict[str, Any]], limits: Limits) -> list[str]:
    folder = UploadFolder(workbench.settings.home, endings=sent_suffixes())
    with folder.unless_failed():
        pieces = [(folder.claim(str(file.get("filename") or "file")), _content(file, limits)) for file in sent]
        folder.append(pieces)
        with published(open_files(workbench.settings), workbench.settings.home, [str(place) for place in folder.files]):
            pass
        workbench.home.claim_upload(folder.path.name)
    return [reference_to(place) for place in folder.files]


def _content(file: dict[str, Any], limits: Limits) -> bytes:
    """What a file holds; a data URL's head is not needed."""
    data = file.get("file_data")
    if not isinstance(data, str):
        raise InvalidRequest("A file needs file_data or file_id.", hint="Send its content as base64, or upload it.")
    try:
        content = base64.b64decode(data.rpartition(",")[2], validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidRequest("The file_data of a file must be base64.") from error
    if len(content) > limits.max_file_bytes:
        raise RequestTooLarge(f"A file may have at most {limits.max_file_bytes} bytes.")
    return content
