"""A program that uses the package's whole interface. It is never run: `make lint` checks its types."""

import sitecrawl

page: sitecrawl.Page = sitecrawl.extract("<p>x</p>", "https://example.org/")
blocks: list[str] = [block.reason for block in page.blocks if block.kept]
site: sitecrawl.LearnedSite = sitecrawl.learn([("https://example.org/", b"<p>x</p>")])
site.save("x.db")
title: str | None = site.extract(b"").title
stored: sitecrawl.StoredSite = sitecrawl.load("x.db")
with sitecrawl.open() as database:
    texts: list[str] = [row.text for row in database.rows(kind="content")]
    found: list[sitecrawl.SearchResult] = database.search("lentil soup", limit=3)
    number: int = database.export("out.jsonl", "example.org")
