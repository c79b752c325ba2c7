"""Overrides: rules that a user writes for one site. They beat the template."""
