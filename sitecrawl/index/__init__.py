"""From the database to a search index: documents, sinks, and the feeder that loses none."""
