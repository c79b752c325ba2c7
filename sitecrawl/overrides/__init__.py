"""Overrides: rules that a user writes for one site. They take precedence over the template."""
