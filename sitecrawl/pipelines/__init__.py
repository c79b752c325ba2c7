"""Item pipelines: the first learns the template from a fetched page, the second extracts its main content."""
