"""Overrides: rules that a person writes for one site. They beat the template."""
