"""Extraction methods, which choose the main content of a page: one module per method, with the interface in `base`."""
