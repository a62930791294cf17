"""A form with a field for every column of ten tables, which is more than other pages' forms have."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from averment.faces.web.shell.pages import read_form

MOST_BYTES = 256_000
MOST_FIELDS = 2_000


async def read_many(request: Request) -> dict[str, str]:
    """The fields of a large form that this session's page made, each once; as ``read_form``."""
    return await read_form(request, most_bytes=MOST_BYTES, most_fields=MOST_FIELDS)


ManyFields = Annotated[dict[str, str], Depends(read_many)]
