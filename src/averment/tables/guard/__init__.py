"""The guard: only one read-only query over the opened tables passes; its lineage is computed here."""
