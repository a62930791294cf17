"""Where the members of 0.2 are now: the old names work for one more minor version, and say where to look."""

from __future__ import annotations

from averment.deprecation import moved

MOVED = {
    **{
        name: f"runs.{name}"
        for name in (
            "approve calls cancel document enclose events explain export forget list look_up replay resume row "
            "rows_behind table teach wait"
        ).split()
    },
    "submit": "runs.start.analysis",
    "submit_choice": "runs.start.choice",
    "submit_plan": "runs.start.plan",
    "submit_research": "runs.start.research",
    "submit_sql": "runs.start.sql",
    "submit_teaching": "runs.start.teaching",
    "begin_drill": "runs.start.drill",
    "check_drill": "runs.start.check_drill",
    "meaning_of": "runs.start.meaning_of",
    "meaning_after": "runs.start.meaning_after",
    "sources_of": "runs.start.sources_of",
    "entries": "ledger.entries",
    "export_ledger": "ledger.export",
    "inclusion_proof": "ledger.inclusion_proof",
    "public_key": "ledger.public_key",
    "verify_ledger": "ledger.verify_file",
    "verify_report": "ledger.verify_report",
    "verify_writers": "ledger.verify",
    "writer": "ledger.writer",
    "writers": "ledger.writers",
    "writers_of": "ledger.writers_of",
    "corpus": "corpora",
    "meanings": "home.glossary.list",
    "forget_meaning": "home.glossary.forget",
    **{
        name: f"home.{name}"
        for name in (
            "claim_upload counts mcp_server owns_upload published recipes recover reminders services tasks users work "
            "workers"
        ).split()
    },
}
"""Every old member of ``Workbench`` and where it is now."""

moved_name = moved(MOVED, owner="averment.Workbench", since="0.3.0", gone_in="0.4.0")
