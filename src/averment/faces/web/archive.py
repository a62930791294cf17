"""The kept records that the pages show, forget and export: the archive beside the workbench."""

from __future__ import annotations

from averment.archive import Archive

__all__ = ["Archive"]
