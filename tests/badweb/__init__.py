"""The bad web: a server of small named cases, each with the expected result of a crawl."""
