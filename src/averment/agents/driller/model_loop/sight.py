"""What a model sees of an investigation: the metric, the tables, what was found so far, as far as privacy allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.agents.driller.reading import CUBE, InvestigationSetup, ReadColumn, reading_of
from averment.agents.driller.recall import recall
from averment.runtime.models.privacy import MASKED, Privacy

if TYPE_CHECKING:
    from averment.records.drilldown.request import DrillRequest
    from averment.runtime.run_context import RunContext

MOST_VALUES = 20
MOST_TABLES, MOST_COLUMNS = 12, 40


class Sight:
    """One run's investigation as its model may see it."""

    def __init__(self, work: RunContext, request: DrillRequest, privacy: Privacy) -> None:
        self._work = work
        self._request = request
        self._privacy = privacy
        self._reading = reading_of(work)
        self._hidden: list[str] = []
        self._dimensions = {d.name: self._values(d.table, d.column, d.name) for d in self._reading.dimensions}

    def values(self) -> dict[str, Any]:
        """The values of the prompt."""
        reading, context = self._reading, self._request.context
        rows = reading.parsed_rows()
        return {
            "metric": {
                "said": reading.metric.text,
                "sql": reading.metric.sql,
                "rows_of": reading.base,
                "day": f"{reading.day_table}.{reading.day_column}",
                "baseline": [day.isoformat() for day in rows.baseline],
                "comparison": [day.isoformat() for day in rows.comparison],
            },
            "said": {"prompt": context.investigation_prompt, "background": context.business_context},
            "tables": [self._table(reading, at) for at in range(min(len(reading.tables), MOST_TABLES))],
            "dimensions": self._dimensions,
            "findings": self._findings(),
        }

    def _values(self, table: str, column: str, name: str) -> list[str]:
        found = [str(value) for value in self._work.table(CUBE).column(name).unique().to_pylist()]
        if self._privacy.permits("values", table, column) and not self._privacy.is_personal(table, column, found):
            return found[:MOST_VALUES]
        self._hidden += [value for value in found if value]
        return []

    def _table(self, reading: InvestigationSetup, at: int) -> dict[str, Any]:
        table = reading.tables[at]
        joined = reading.parsed_rows().source.reaches(table.name)
        columns = [self._column(table.name, column) for column in table.columns[:MOST_COLUMNS]]
        return {"table": table.name, "rows": table.row_count, "joined": joined, "columns": columns}

    def _column(self, table: str, column: ReadColumn) -> dict[str, Any]:
        card: dict[str, Any] = {"name": column.name, "type": column.data_type}
        if self._privacy.permits("profiles", table, column.name):
            card["distinct"] = column.cardinality
        return card

    def _findings(self) -> list[dict[str, Any]]:
        """What each round found; its words and numbers only where values may be seen."""
        from averment.agents.driller.findings import round_finding

        memory = recall(self._work)
        found: list[dict[str, Any]] = []
        for round_ in self._work.state.rounds:
            name = round_.state.get("hypothesis") or round_.state.get("about")
            suspicion = memory.suspicion(str(name)) if name else None
            said: dict[str, Any] = {"round": round_.number, "kind": str(round_.state.get("kind"))}
            if suspicion is not None:
                said |= {"about": list(suspicion.dimensions), "status": memory.statuses[suspicion.hypothesis_id]}
            finding = round_finding(self._work, round_, memory) if self._privacy.permits("values") else None
            if finding is not None:
                said["found"] = self._masked(finding.text)
            found.append(said)
        return found

    def _masked(self, text: str) -> str:
        for value in sorted(set(self._hidden), key=len, reverse=True):
            text = text.replace(value, MASKED)
        return text
