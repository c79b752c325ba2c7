"""The spider of one website, with its callbacks for pages, sources and probes."""
