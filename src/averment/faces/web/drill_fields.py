"""A form with a field for every column of ten tables, which is more than other pages' forms have."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import Depends, Request

from averment.errors import InvalidRequest, RequestTooLarge
from averment.faces.web.pages import check_form

MOST_BYTES = 256_000
MOST_FIELDS = 2_000


async def read_many(request: Request) -> dict[str, str]:
    """The fields of a form that this session's page made, each once.

    Raises:
        OriginRefused: the form has no token of this session.
        RequestTooLarge, InvalidRequest: it is no form of that kind.
    """
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise RequestTooLarge(f"This form has at most {MOST_BYTES:,} bytes.")
    try:
        fields = dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError as error:
        raise InvalidRequest("The form cannot be read.") from error
    check_form(request, fields.pop("form_token", ""))
    return fields


ManyFields = Annotated[dict[str, str], Depends(read_many)]
