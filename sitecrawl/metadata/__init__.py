"""Metadata of a page: title, author, dates, language, image, section."""
