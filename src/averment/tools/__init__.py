"""The verbs: a tool is one file with its arguments, output and function; one registry opens it to everyone."""
