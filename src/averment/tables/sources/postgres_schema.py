"""The schema of a Postgres database, read in a read-only transaction.

The password is used for the connection and goes nowhere else, error messages included.
"""

from __future__ import annotations

from averment.errors import SourceNotFound, SourceUnreadable
from averment.tables.catalog import ColumnInfo, TableInfo
from averment.tables.sources.locations import full_url

CONNECT_SECONDS = 10
STATEMENT_MILLISECONDS = "20000"

_COLUMNS = """
SELECT n.nspname, c.relname, c.relkind::text, a.attname, format_type(a.atttypid, a.atttypmod),
       CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid, true) END,
       CASE WHEN c.relkind = 'r' AND c.reltuples >= 0 THEN c.reltuples::bigint END
FROM pg_attribute a
JOIN pg_class c ON c.oid = a.attrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped AND NOT c.relispartition
  AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_t%'
  AND has_schema_privilege(n.oid, 'USAGE') AND has_column_privilege(c.oid, a.attnum, 'SELECT')
ORDER BY n.nspname, c.relname, a.attnum
"""


def inspect_postgres(location: str, label: str) -> list[TableInfo]:
    """The tables and views that the role may read; row counts are the server's estimate rounded to none when unknown.

    Raises:
        SourceNotFound: no server answers, or the database or role is not there.
        SourceUnreadable: the server refuses.
    """
    import psycopg

    try:
        with psycopg.connect(full_url(location), connect_timeout=CONNECT_SECONDS, autocommit=False) as connection:
            connection.read_only = True
            connection.execute("SELECT set_config('statement_timeout', %s, true)", [STATEMENT_MILLISECONDS])
            rows = connection.execute(_COLUMNS).fetchall()
            first = connection.execute("SELECT current_schema()").fetchone()
    except psycopg.OperationalError as error:
        # The driver's own words may hold the connection string: only their kind is told.
        kind = "refused the role or the database" if error.sqlstate else "did not answer"
        raise SourceNotFound(
            f"The Postgres server of {label} {kind}.", hint="Check host, port, database, role and password."
        ) from None
    except psycopg.Error as error:
        raise SourceUnreadable(f"The schema of {label} cannot be read ({error.sqlstate or 'no code'}).") from None
    home = str(first[0]) if first and first[0] else "public"
    return _tables([tuple(row) for row in rows], home, label)


def _tables(rows: list[tuple[object, ...]], home: str, label: str) -> list[TableInfo]:
    columns: dict[tuple[str, str], list[ColumnInfo]] = {}
    views: dict[tuple[str, str], str | None] = {}
    for schema, table, _, column, kind, view, _ in rows:
        key = (str(schema), str(table))
        views[key] = str(view) if view is not None else None
        columns.setdefault(key, []).append(ColumnInfo(name=str(column), type=str(kind), original_name=str(column)))
    return [
        TableInfo(
            name=table if schema == home else f"{schema}.{table}",
            columns=tuple(items),
            row_count=None,
            source=label,
            origin=(schema, table),
            view_sql=views[schema, table],
        )
        for (schema, table), items in columns.items()
    ]
