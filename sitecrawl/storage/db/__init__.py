"""Access to a database: engine, sessions, prepared statements, the writer, errors, schema."""
