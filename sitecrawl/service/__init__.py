"""The web service that fetches a page and answers with its cleaned form.

Needs the extra `serve` (Starlette, uvicorn, Jinja2, httpcore). The command `serve` imports it; crawls never do.
"""
