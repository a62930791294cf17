"""The HTTP face: FastAPI on this machine, behind a token. It parses, calls the workbench, and prints.

``server.serve`` is what ``averment serve`` runs; ``app.create_app`` is the application itself. No path and no URL that
a client names ever reaches the file system: data arrives as uploads, under names made here.
"""
