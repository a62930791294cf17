"""While the server runs: sessions whose time is over are ended, at its start and every minute after."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from fastapi import FastAPI

from averment.agents.driller.sessions import Sessions
from averment.faces.http.beside import beside, repeated

SWEEP_SECONDS = 60.0


def sweeping(app: FastAPI) -> AbstractAsyncContextManager[None]:
    """Sweep the sessions of the served home for as long as the application runs."""
    return beside(repeated(lambda: _sweep_once(app), SWEEP_SECONDS, "sessions could not be swept"))


def _sweep_once(app: FastAPI) -> None:
    sessions: Sessions = app.state.workbench.sessions
    sessions.sweep()
