"""All routes of the drill's pages, as one router to mount."""

from __future__ import annotations

from fastapi import APIRouter

from averment.faces.web.drill import drills, files_step, metric_step, tables_step

router = APIRouter(include_in_schema=False)
for _part in (drills, files_step, tables_step, metric_step):
    router.include_router(_part.router)
