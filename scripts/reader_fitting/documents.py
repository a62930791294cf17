"""Documents that lie on a machine anyway: read-me files of installed packages, their docstrings, CMake's help.

Each is a corpus by its own name. What was found is listed with its hash in the manifest of the fit.
"""

from __future__ import annotations

import ast
import email
import re
import sysconfig
from pathlib import Path

from averment.corpus.structure.read import read_structure
from averment.corpus.structure.shape import Dialect, Structure

HELD = "cmake"
"""The corpus that no fit sees."""
_LEAST, _MOST, _SAYS = 1_500, 60_000, 60
_PACKAGES = ("numpy", "scipy", "pandas", "sklearn", "sqlalchemy", "duckdb", "polars", "pyarrow", "matplotlib", "fsspec")


Text = tuple[Dialect, str, str]
"""How a document is written, its address, and its text."""


def texts(most: int, skip: frozenset[str]) -> dict[str, list[Text]]:
    """The documents of each corpus, at most so many of each; ``skip`` names packages to leave out."""
    site = Path(sysconfig.get_paths()["purelib"])
    guides = [
        path
        for path in sorted([*site.rglob("*.md"), *site.rglob("*.rst")])
        if ".dist-info" not in str(path) and not {"sklearn", "npm"} & set(path.parts)
    ]
    helps = [
        path for root in ("/usr/share", "/usr/local/share") for path in sorted(Path(root).glob("cmake*/Help/**/*.rst"))
    ]
    found = {
        "readmes": _readmes(site, skip),
        "standard": _modules(Path(sysconfig.get_paths()["stdlib"]), "*.py"),
        "packages": [text for name in _PACKAGES for text in _modules(site / name, "**/*.py", 40)],
        "guides": _files(guides),
        HELD: _files(helps[:: max(1, len(helps) // (3 * most))]),
    }
    return {name: listed[:: max(1, len(listed) // most)][:most] for name, listed in found.items()}


def read(listed: list[Text]) -> list[Structure]:
    """Documents taken apart."""
    return [read_structure(text, dialect, address) for dialect, address, text in listed]


def _files(paths: list[Path]) -> list[Text]:
    found: list[Text] = []
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if 500 <= len(text) <= _MOST:
            found.append(
                ("markdown" if path.suffix == ".md" else "rst", f"file:///{path.parent.name}/{path.name}", text)
            )
    return found


def _readmes(site: Path, skip: frozenset[str]) -> list[Text]:
    found: list[Text] = []
    for path in sorted(site.glob("*.dist-info/METADATA")):
        message = email.message_from_string(path.read_text(encoding="utf-8"))
        text, name = str(message.get_payload())[:_MOST], path.parent.name.split("-")[0]
        if len(text) >= _LEAST and name.lower() not in skip:
            kind = message["Description-Content-Type"] or ""
            found.append(("markdown" if "markdown" in kind else "rst", f"file:///readmes/{name}", text))
    return found


def _modules(folder: Path, pattern: str, most: int = 200) -> list[Text]:
    found: list[Text] = []
    for path in sorted(folder.glob(pattern)):
        inside = path.relative_to(folder)
        if len(found) >= most or any(part.startswith(("_", "test")) for part in inside.parts):
            continue
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError):
            continue
        name = ".".join([*([] if pattern == "*.py" else [folder.name]), *inside.with_suffix("").parts])
        parts = [f"# {name}", ast.get_docstring(tree) or ""]
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                said = ast.get_docstring(node) or ""
                if len(said) > _SAYS:
                    parts += [f"## {node.name}", _plain(said)]
        text = "\n\n".join(parts)[:_MOST]
        if len(text) >= _LEAST:
            found.append(("markdown", f"file:///{folder.name}/{name}", text))
    return found


def _plain(said: str) -> str:
    """A docstring without examples, its parameters as items."""
    said = re.sub(r"(?ms)^(?:Examples?|References|See Also|Notes)\n-+\n.*", "", said)
    said = re.sub(r"(?m)^(\w+)\n-{3,}$", r"\1:", said)
    said = re.sub(r"(?m)^>>> .*$|^\.\.\. .*$", "", said)
    return re.sub(
        r"(?m)^(\w+) : (.+)\n((?:    .+\n?)+)", lambda m: f"- {m[1]}: {m[2]}. {' '.join(m[3].split())}\n", said
    )
