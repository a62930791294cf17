"""The gate: numbers and quotations are bound to evidence here, checked here, and re-derived here."""
