"""``python -m averment`` is the ``averment`` command."""

from __future__ import annotations

from averment.faces.cli import main

if __name__ == "__main__":
    main()
