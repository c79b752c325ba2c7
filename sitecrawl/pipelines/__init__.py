"""Item pipelines of a fetched page: first learn the template from it, then extract its main content."""
