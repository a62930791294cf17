"""Policy: which columns may be read and which names and values may never come out, by real lineage and real cells.

The allow-list is matched against every source column a query reads anywhere, so stars, aliases, subqueries and views do
not get round it. Blocked patterns are matched against the names of those columns and against every value of a result
before it is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.errors import ColumnNotAllowed, InvalidRequest, PatternBlocked

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.records.analysis import Policy
    from averment.tables.catalog import Catalog


class Gate:
    """One run's policy, as two checks that raise or pass."""

    def __init__(self, policy: Policy, catalog: Catalog) -> None:
        self._patterns = tuple(policy.blocked_patterns)
        self._allowed = None if policy.allowed_columns is None else _resolve(policy.allowed_columns, catalog)
        if self._patterns:
            from averment.tables.profile.blocked_patterns import match_names

            match_names(self._patterns, ())  # A pattern that cannot be used is refused before anything is read.

    def permits(self, table: str, column: str) -> bool:
        """Whether that column may be read at all."""
        try:
            self.check_columns(frozenset({(table, column)}))
        except (ColumnNotAllowed, PatternBlocked):
            return False
        return True

    def check_columns(self, columns: frozenset[tuple[str, str]]) -> None:
        """Pass the columns a query reads.

        Raises:
            ColumnNotAllowed: one is outside the allow-list.
            PatternBlocked: one has a blocked name.
        """
        read = {(table.casefold(), column.casefold()) for table, column in columns}
        if self._allowed is not None:
            outside = sorted(f"{table}.{column}" for table, column in read - self._allowed)
            if outside:
                raise ColumnNotAllowed(
                    f"The query reads {', '.join(outside)}, which the policy does not allow.",
                    hint="Ask about allowed columns, or change policy.allowed_columns.",
                    details={"columns": outside},
                )
        self._check_names(sorted(column for _, column in columns))

    def check_values(self, table: pa.Table) -> None:
        """Pass a result before it is kept.

        Raises:
            PatternBlocked: a name or value matches a blocked pattern.
        """
        if not self._patterns:
            return
        from averment.tables.profile.blocked_patterns import match_values

        self._check_names(table.column_names)
        for column, pattern, count in match_values(self._patterns, table):
            raise PatternBlocked(
                f"{count} values of {column} match the blocked pattern {pattern}; the result was not kept.",
                hint="Leave that column out, or aggregate it away.",
                details={"column": column, "pattern": pattern, "count": count},
            )

    def _check_names(self, names: list[str]) -> None:
        if not self._patterns:
            return
        from averment.tables.profile.blocked_patterns import match_names

        for name, pattern in match_names(self._patterns, names):
            raise PatternBlocked(
                f"The column {name} matches the blocked pattern {pattern}.",
                hint="Leave that column out.",
                details={"column": name, "pattern": pattern},
            )


def _resolve(allowed: tuple[str, ...], catalog: Catalog) -> frozenset[tuple[str, str]]:
    """The allow-list as (table, column) pairs; ``column`` alone means that column of every table."""
    pairs: set[tuple[str, str]] = set()
    for name in allowed:
        folded = name.casefold()
        found = {
            (table.name.casefold(), column.name.casefold())
            for table in catalog.tables
            for column in table.columns
            if folded in {column.name.casefold(), f"{table.name}.{column.name}".casefold()}
        }
        if not found:
            raise InvalidRequest(
                f"policy.allowed_columns names {name}, which no source has.",
                hint=f"Columns: {', '.join(c.name for t in catalog.tables for c in t.columns)}.",
            )
        pairs |= found
    return frozenset(pairs)
