"""A small library whose sources agree, disagree and name each other, as files in a folder."""

from pathlib import Path

import pytest

TEXTS = {
    "harbour.md": """# Lindholm Harbour

Lindholm Harbour was deepened in 1961 because larger ships could not enter the basin. The engineer Anna Berg led the
deepening of Lindholm Harbour. In 2019 Lindholm Harbour handled 4,200 ships. Lindholm Harbour expects more traffic.
""",
    "history.md": """# Port history

According to the city archive, Lindholm Harbour was deepened in 1961. Critics warned that deepening Lindholm Harbour
would damage the oyster beds. Lindholm Harbour is larger than the harbour of Norvik.
""",
    "blog.md": """# A blog on ports

Lindholm Harbour was deepened in 1963. Many people who live at Lindholm Harbour remember the noise.
""",
    "bread.md": """# Bread

Rye bread is made of rye flour, water and salt. Sourdough needs time.
""",
}


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """The library of this test."""
    folder = tmp_path / "library"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    return folder
