"""How alembic runs the steps: on the connection that ``averment.store.db.database`` hands over, in its transaction."""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection

from averment.store.schema.main_tables import METADATA, VERSION_TABLE

_connection: Connection = context.config.attributes["connection"]

# SQLite's DDL is transactional once the driver leaves BEGIN to us; alembic assumes that it is not.
context.configure(connection=_connection, target_metadata=METADATA, version_table=VERSION_TABLE, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
