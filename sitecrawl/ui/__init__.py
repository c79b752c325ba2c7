"""The user interface in a browser: what was crawled, why it was kept, and how to correct it (docs/ui.md).

It reads through the repositories and writes through the calls of the commands. The package needs the extra
`sitecrawl[ui]`.
"""
