"""The MCP face on stdin and stdout, and what a client needs to start it. On HTTP it is mounted by that face."""
