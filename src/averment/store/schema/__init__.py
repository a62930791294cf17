"""The tables of the database, as the stores know them."""
