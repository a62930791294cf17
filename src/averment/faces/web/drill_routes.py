"""All routes of the drill's pages, as one router to mount."""

from __future__ import annotations

from fastapi import APIRouter

from averment.faces.web import drill, drill_files, drill_steps, drill_tables

router = APIRouter(include_in_schema=False)
for _part in (drill, drill_files, drill_tables, drill_steps):
    router.include_router(_part.router)
