"""The command line. Importing it loads click and nothing heavy; each command imports what it needs when it runs."""

from __future__ import annotations

import gc


def main() -> None:
    """The ``averment`` command."""
    # What is imported lives until the end; looking through it again and again for garbage is in vain.
    gc.set_threshold(50_000, 20, 100)
    from averment.faces.cli.app import run_app

    run_app()
