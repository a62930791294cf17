"""The formats that reports are exported to, as far as Averment writes them itself."""

from __future__ import annotations

MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "pdf": "application/pdf",
    "ipynb": "application/x-ipynb+json",
}
"""How each is served, by its name, which is also how the file's name ends."""
