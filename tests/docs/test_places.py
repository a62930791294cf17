"""The table of where a change belongs is true: every place is there, and holds what it is said to hold."""

import configparser
import re
from pathlib import Path
from typing import get_args

import pytest

from averment.plugins import POINTS
from averment.reading.account.cue_traces import HOLDS
from averment.reading.words import lexicon
from averment.records.run import BuiltInTool

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "ARCHITECTURE.md").read_text().partition("## Where a change belongs")[2].partition("\n## ")[0]
ROWS = [
    [cell.strip() for cell in line.strip("| ").split(" | ")] for line in TABLE.splitlines() if line.startswith("| a")
]
PLACE = re.compile(r"`([\w.…/-]+(?:/|\.\w+))`(?: \(`(\w+)`\))?")


def _found(place: str) -> list[Path]:
    pattern = place.replace("…", "*").rstrip("/")
    return [path for base in (ROOT / "src" / "averment", ROOT) for path in base.glob(pattern)]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_place_is_there_and_holds_what_is_said(row: list[str]) -> None:
    places = [match for match in PLACE.findall(row[1]) if not match[0].startswith("averment.")]
    assert places
    for place, name in places:
        found = _found(place)
        assert found, place
        if name:
            assert re.search(rf"\b{name}\b", found[0].read_text()), (place, name)


def test_every_phrase_that_asks_for_something_has_its_trace() -> None:
    heads = {name.split()[0] for section in lexicon("phrases").values() for name in section}
    # One quantile is a figure like the mean, and is traced as a cue is.
    assert heads - HOLDS.keys() == {"quantile"}, "reading/account/cue_traces.py: HOLDS"


def test_every_extension_point_has_its_row() -> None:
    assert {point for point in POINTS if f"`averment.{point}`" in TABLE} == set(POINTS)


def test_the_table_has_the_changes_that_strangers_ask_for() -> None:
    assert len(ROWS) >= 20


def test_every_module_with_routes_is_in_the_list_of_the_application() -> None:
    from averment.faces.http.app import ROUTED

    folder = ROOT / "src" / "averment" / "faces" / "http"
    routed = {path.stem for path in folder.glob("*.py") if re.search(r"^router = ", path.read_text(), re.MULTILINE)}
    assert routed == set(ROUTED), "faces/http/app.py: ROUTED"


def _text(place: str) -> str:
    return (ROOT / "src" / "averment" / place).read_text()


def test_every_kind_of_chart_has_its_marks() -> None:
    from averment.charts.kinds import OWN_KINDS

    drawn = _text("charts/draw.py").partition("def _marks(")[2].partition("\ndef ")[0]
    assert [kind for kind in OWN_KINDS if f'case "{kind}"' not in drawn] == [], "charts/draw.py: _marks"


def test_every_format_of_files_that_is_copied_has_its_reader() -> None:
    from averment.records.analysis.file_formats import FILE_FORMATS

    staged = _text("tables/processes/build.py").partition("def _stage(")[2].partition("\ndef ")[0]
    copied = [name for name, form in FILE_FORMATS.items() if form.copied]
    assert copied and [name for name in copied if f'"{name}"' not in staged] == [], "tables/processes/build.py: _stage"


def test_every_search_provider_has_its_branch() -> None:
    from averment.settings import WEB_PROVIDERS

    chosen = _text("corpus/providers/choose.py")
    assert [name for name in WEB_PROVIDERS if f'"{name}"' not in chosen] == [], "corpus/providers/choose.py"


def test_every_export_has_its_button_and_its_option() -> None:
    from averment.records.export_formats import MEDIA_TYPES

    for place in ("faces/web/templates/report.html", "faces/cli/look.py"):
        assert [form for form in MEDIA_TYPES if f'"{form}"' not in _text(place)] == [], place


def test_every_reader_of_documents_is_there() -> None:
    from importlib import import_module
    from tomllib import loads

    kinds = loads(_text("corpus/readers/own_kinds.toml"))
    readers = re.findall(r'"([\w.]+):(\w+)"', _text("corpus/readers/own_kinds.toml"))
    assert kinds and readers
    for module, name in readers:
        full = module if module.startswith("averment.") else f"averment.corpus.readers.{module}"
        assert hasattr(import_module(full), name), (module, name)


def test_every_setting_of_several_values_is_read_from_the_environment() -> None:
    from averment.settings import _LISTS, Settings  # type: ignore[attr-defined]

    several = {
        name
        for name, field in Settings.model_fields.items()
        if str(field.annotation).startswith(("tuple", "dict", "frozenset", "collections.abc.Mapping"))
    }
    assert several <= set(_LISTS), "settings.py: _LISTS"


def test_every_tool_of_runs_and_every_layer_is_on_the_map() -> None:
    architecture = (ROOT / "ARCHITECTURE.md").read_text()
    assert [tool for tool in get_args(BuiltInTool) if f"`{tool}`" not in architecture] == []
    rules = configparser.ConfigParser()
    rules.read(ROOT / ".importlinter")
    layers = [line.strip() for line in rules["importlinter:contract:floors"]["layers"].split("\n")]
    drawn = architecture.partition("Imports go downward only")[2].partition("```\n")[2].partition("```")[0]
    assert [one.strip() for one in drawn.split("→")] == [one for one in layers if one and one != "__main__"]
