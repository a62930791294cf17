"""The files every page needs: our own styles and modules, and the Vega bundle; all from this machine."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib import resources
from pathlib import Path as FilePath
from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from averment.errors import RouteNotFound
from averment.faces.web.shell.page_access import Bench
from averment.faces.web.shell.vega import vega_bundle
from averment.reports.html import tokens_css

router = APIRouter(include_in_schema=False)

TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
VEGA = "vega.js"
TOKENS = "tokens.css"
"""The design tokens lie with the reports, which are exported with them inside."""


@router.get("/static/{name}")
def read_asset(request: Request, workbench: Bench, name: Annotated[str, Path(max_length=64)]) -> Response:
    """One file, unless the browser has it already."""
    content, kind, tag = _asset(name, workbench.settings.home / "cache" / "page")
    headers = {"ETag": tag, "Cache-Control": "no-cache", "Content-Security-Policy": "default-src 'none'"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=kind, headers=headers)


@lru_cache(maxsize=64)
def _names() -> frozenset[str]:
    return frozenset(file.name for file in resources.files("averment.faces.web").joinpath("static").iterdir())


def _asset(name: str, cache: FilePath) -> tuple[bytes, str, str]:
    # Known names alone: a name from outside never becomes a path.
    if name not in {VEGA, TOKENS} and name not in _names():
        raise RouteNotFound("Nothing is served under that path.")
    return _read(name, cache)


@lru_cache(maxsize=64)
def _read(name: str, cache: FilePath) -> tuple[bytes, str, str]:
    if name == VEGA:
        content = vega_bundle(cache)
    elif name == TOKENS:
        content = tokens_css().encode()
    else:
        content = resources.files("averment.faces.web").joinpath("static", name).read_bytes()
    kind = TYPES.get(name[name.rfind(".") :], "application/octet-stream")
    return content, kind, f'"{hashlib.sha256(content).hexdigest()[:32]}"'
