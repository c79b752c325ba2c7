"""Delivers the pages of the database to search indexes: documents, sinks, and a feeder that loses no change."""
