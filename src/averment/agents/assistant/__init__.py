"""The assistant: understands a message, acts through MCP tools only, and asks where it is not sure."""
