"""The bad web: a server of small named cases, each with what a crawl of it must come to."""
