"""Where sources are looked for: one protocol, the local corpus first, and search services of the web behind it."""
