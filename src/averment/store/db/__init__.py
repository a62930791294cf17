"""The database: connections, creation, migrations, dumps and the move to another host."""
