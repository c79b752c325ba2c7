"""What a page says of itself beside its main content: title, author, dates, language, image, section."""
