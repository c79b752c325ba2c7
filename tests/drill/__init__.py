"""The operational drill: what an operator, a machine or a database does to a crawl. `make drill`."""
