"""Alembic migrations; installed as `sitecrawl.migrations`."""
