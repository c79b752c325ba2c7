"""The web service that fetches a page and returns it cleaned.

Needs the extra `serve` (Starlette, uvicorn, Jinja2, httpcore). The command `serve` imports it; crawls never do.
"""
