"""Sources: paths, URLs and tables in memory become entries of the catalog."""
