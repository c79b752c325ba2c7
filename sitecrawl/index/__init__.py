"""Delivery of the database's pages to search indexes: documents, sinks, and the feeder that loses no change."""
