"""The application: the routes of this face behind its door."""

from __future__ import annotations

from functools import partial
from importlib import import_module

from fastapi import FastAPI

from averment import __version__
from averment.errors import InvalidSettings
from averment.faces.http import metrics
from averment.faces.http.access import UserBenches
from averment.faces.http.door import Door
from averment.faces.http.failures import install_failures
from averment.faces.http.form import read_form
from averment.faces.http.life import living
from averment.faces.http.limits import Limits
from averment.faces.http.mcp import mcp_endpoint, mcp_route
from averment.faces.http.resumptions import Resumptions
from averment.faces.http.uploads import UploadFolder
from averment.faces.web.shell.forms import Uploads
from averment.faces.web.shell.mount import install_pages
from averment.workbench import Workbench
from averment.workbench.oauth_codes import OAuthCodes

STANDARD = Limits()

ROUTED = tuple(
    "about metrics analyses meanings datasets research corpus runs stream results sessions sessions_investigation chat "
    "chat_agui chat_uploads chat_tasks reminders openai_chat oauth".split()
)
"""The modules of this face that have routes (``router``), in the order in which a path is looked for."""


def create_app(workbench: Workbench, *, token: str, limits: Limits = STANDARD) -> FastAPI:
    """The application that serves a workbench to whoever has the token.

    Raises:
        InvalidSettings: the token is empty.
    """
    if not token:
        raise InvalidSettings("The HTTP server requires a token.")
    app = FastAPI(
        title="Averment",
        version=__version__,
        summary="Answers offered together with their proof.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=living,
    )
    app.state.workbench = workbench
    app.state.limits = limits
    app.state.resumptions = Resumptions(workbench)
    app.state.benches = UserBenches(workbench)
    app.state.mcp = mcp_endpoint(workbench, app.state.benches)
    app.state.oauth_codes = OAuthCodes(token)
    app.state.metrics = metrics.metrics_of(workbench)
    for part in ROUTED:
        app.include_router(import_module(f"averment.faces.http.{part}").router)
    app.router.routes.append(mcp_route(app.state.mcp))
    install_failures(app)
    names = workbench.settings.http_names
    if app.state.metrics is not None:
        app.add_middleware(metrics.Clock, metrics=app.state.metrics)
    app.add_middleware(
        Door,
        token=token,
        host=workbench.settings.http_host,
        limits=limits,
        names=names,
        users=workbench.home.users.user_of,
    )
    uploads = Uploads(partial(UploadFolder, workbench.settings.home), partial(read_form, limits=limits))
    install_pages(app, workbench, token=token, uploads=uploads)
    return app
