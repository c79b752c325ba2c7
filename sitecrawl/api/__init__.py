"""The public API, exported by `sitecrawl` itself: `extract`, `learn`, `load`, `open` and the values they return."""
