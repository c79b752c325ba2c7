"""The database: sites, pages, bodies, templates and contents. SQLite or PostgreSQL."""
