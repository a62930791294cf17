"""The official conformance suite, against the real transport behind the real door."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from npm_packages import installed, run_node

pytestmark = [pytest.mark.thorough, pytest.mark.slow]

SUITE = ("@modelcontextprotocol/conformance", "0.2.0-alpha.12")
"""The first release that holds, frozen, what each revision requires."""

LEAST = {"2026-07-28": 37, "2025-11-25": 30}
_LISTED = re.compile(r"^ {2}- (\S+)$", re.MULTILINE)
_RESULT = re.compile(r"^[✓✗] (\S+): (\d+) passed, (\d+) failed$", re.MULTILINE)


NOT_APPLICABLE = tomllib.loads(Path(__file__).with_name("not_applicable.toml").read_text(encoding="utf-8"))
"""By revision, each scenario that the server as it ships cannot be asked, with the reason."""


def _results(url: str, revision: str) -> tuple[set[str], dict[str, tuple[int, int]], str]:
    suite = str(installed(*SUITE) / "dist" / "index.js")
    listed = run_node(suite, "list", "--requirements", revision).stdout
    scored = set(_LISTED.findall(listed.partition("Server scenarios")[2].partition("Client scenarios")[0]))
    assert len(scored) == LEAST[revision]
    done = run_node(suite, "server", "--url", url, "--requirements", revision, timeout=240)
    found = {name: (int(passed), int(failed)) for name, passed, failed in _RESULT.findall(done.stdout)}
    return scored, found, done.stdout


@pytest.mark.parametrize("revision", sorted(LEAST))
def test_the_server_as_it_ships_passes_all_that_applies_to_it(real_url: str, revision: str) -> None:
    scored, found, output = _results(real_url, revision)
    passed = {name for name in scored if name in found and found[name][0] and not found[name][1]}
    assert scored - passed == set(NOT_APPLICABLE[revision]), output
    assert found.get("server-stateless", (26, 2)) == (26, 2)


@pytest.mark.parametrize("revision", sorted(LEAST))
def test_every_scored_server_scenario_of_the_revision_passes(everything_url: str, revision: str) -> None:
    scored, found, output = _results(everything_url, revision)
    bad = {name: found.get(name) for name in scored if name not in found or found[name][1] or not found[name][0]}
    assert not bad, output
