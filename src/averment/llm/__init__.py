"""Optional models: which one, structured calls within a budget, prompts that keep data apart, and replay.

Nothing here computes and nothing is trusted: a model's answer is checked against its type, and whoever asked checks it
further. When a model cannot help, ``with_fallback`` lets the rules answer. Importing this package imports no vendor's
library; ``ModelClient`` does so at its first call.
"""

from __future__ import annotations

from averment.llm.call import Budget, FallbackNote, Journal, ModelCall, with_fallback
from averment.llm.client import ModelClient, Proposer
from averment.llm.prompts import Prompt, render
from averment.llm.provider import ModelChoice, choose
from averment.llm.replay import Recorder, Replayer, open_proposer, tell_calls, today_for

__all__ = [
    "Budget",
    "FallbackNote",
    "Journal",
    "ModelCall",
    "ModelChoice",
    "ModelClient",
    "Prompt",
    "Proposer",
    "Recorder",
    "Replayer",
    "choose",
    "open_proposer",
    "render",
    "tell_calls",
    "today_for",
    "with_fallback",
]
