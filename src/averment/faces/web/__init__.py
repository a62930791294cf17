"""The page of the workbench: server-rendered, enhanced by small modules of our own, mounted by the HTTP face."""
