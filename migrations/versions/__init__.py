"""One module a migration, oldest first."""
