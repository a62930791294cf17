"""Generated cases here have no time limit: how long one takes depends on the machine, not on the code."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("language", deadline=None)
settings.load_profile("language")
