"""Pages as data: parse once, walk once, read columns. Knows lxml and nothing above it."""
