"""The assistant: understands a message, acts through the public tools only, and asks where it is not sure."""
