"""The official conformance suite, against the real transport behind the real door."""

from __future__ import annotations

import re

import pytest
from npm_packages import installed, run_node

pytestmark = [pytest.mark.xdist_group("mcp"), pytest.mark.slow]

SUITE = ("@modelcontextprotocol/conformance", "0.2.0-alpha.12")
"""The first release that holds, frozen, what each revision requires."""

LEAST = {"2026-07-28": 37, "2025-11-25": 30}
_LISTED = re.compile(r"^ {2}- (\S+)$", re.MULTILINE)
_RESULT = re.compile(r"^[✓✗] (\S+): (\d+) passed, (\d+) failed$", re.MULTILINE)


@pytest.mark.parametrize("revision", sorted(LEAST))
def test_every_scored_server_scenario_of_the_revision_passes(everything_url: str, revision: str) -> None:
    suite = str(installed(*SUITE) / "dist" / "index.js")
    listed = run_node(suite, "list", "--requirements", revision).stdout
    scored = set(_LISTED.findall(listed.partition("Server scenarios")[2].partition("Client scenarios")[0]))
    assert len(scored) == LEAST[revision]
    done = run_node(suite, "server", "--url", everything_url, "--requirements", revision, timeout=180)
    results = {name: (int(passed), int(failed)) for name, passed, failed in _RESULT.findall(done.stdout)}
    bad = {
        name: results.get(name) for name in scored if name not in results or results[name][1] or not results[name][0]
    }
    assert not bad, done.stdout
    assert done.returncode == 0, done.stdout
