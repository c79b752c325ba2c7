"""The built-in full-text search, on SQLite and PostgreSQL."""
