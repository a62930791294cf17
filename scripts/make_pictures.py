"""Makes docs/pictures: screenshots that the tests of the pages take, kept with the hash of the templates they show.

python scripts/make_pictures.py            run the walks in a browser and keep their screenshots
python scripts/make_pictures.py --check    exit 1 when templates, styles or scripts changed since
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
MADE_FROM = PICTURES / "made_from.json"
WALKS = ("tests/faces/web/test_walks.py", "tests/faces/web/test_data_browser.py")
KEPT = {
    "answer.png": "first-2-answer.png",
    "proof.png": "analyst-3-proof.png",
    "offers.png": "offers-1-readings.png",
    "drill.png": "drill-2-answer.png",
    "data.png": "first-1-data.png",
    "rows.png": "data-rows.png",
    "verified.png": "data-verified.png",
}
"""The name of each picture in the documents, and of the screenshot it is."""


def templates_hash() -> str:
    """A hash over everything that makes up the look of the pages."""
    web = ROOT / "src" / "averment" / "faces" / "web"
    digest = hashlib.sha256()
    for folder in ("templates", "static"):
        for file in sorted(path for path in (web / folder).rglob("*") if path.is_file()):
            digest.update(file.relative_to(web).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def main() -> int:
    """Make or check the pictures."""
    if "--check" in sys.argv[1:]:
        made = json.loads(MADE_FROM.read_text(encoding="utf-8")) if MADE_FROM.is_file() else {}
        return 0 if made.get("templates") == templates_hash() else 1
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as shots:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-n", "0", *WALKS],
            cwd=ROOT,
            env=os.environ | {"AVERMENT_SCREENSHOTS": shots},
            check=False,
        )
        if done.returncode:
            return done.returncode
        for name, shot in KEPT.items():
            shutil.copyfile(Path(shots) / shot, PICTURES / name)
    MADE_FROM.write_text(json.dumps({"templates": templates_hash()}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
