"""The database's history, one file a step, run by alembic."""
