"""The database: sites, pages, bodies, templates and contents in SQLite or PostgreSQL."""
