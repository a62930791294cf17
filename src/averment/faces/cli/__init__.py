"""The command line. Importing it loads click and nothing heavy; each command imports what it needs when it runs."""

from __future__ import annotations


def main() -> None:
    """The ``averment`` command."""
    from averment.faces.cli.app import run_app

    run_app()
