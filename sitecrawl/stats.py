"""Every stats key of sitecrawl: `docs/stats.md` is checked against this list."""

from typing import Final

PREFIX: Final = "sitecrawl/"

PAGES_PARSED: Final = "sitecrawl/pages/parsed"
PAGES_TOO_LARGE: Final = "sitecrawl/pages/too_large"
PAGES_NOT_HTML: Final = "sitecrawl/pages/not_html"
PAGES_EMPTY: Final = "sitecrawl/pages/empty"
PAGES_FAILED: Final = "sitecrawl/pages/failed"
PAGES_REDIRECTED: Final = "sitecrawl/pages/redirected"
PAGES_DUPLICATE: Final = "sitecrawl/pages/duplicate"
PAGES_NOINDEX: Final = "sitecrawl/pages/noindex"
PAGES_EXCLUDED: Final = "sitecrawl/pages/excluded"

LINKS_FOUND: Final = "sitecrawl/links/found"
LINKS_SELECTED: Final = "sitecrawl/links/selected"
LINKS_KNOWN: Final = "sitecrawl/links/known"
LINKS_NOFOLLOW: Final = "sitecrawl/links/nofollow"
LINKS_TRAPPED: Final = "sitecrawl/links/trapped"
SITEMAPS_READ: Final = "sitecrawl/sitemaps/read"
SITEMAPS_FAILED: Final = "sitecrawl/sitemaps/failed"
SITEMAPS_LINKS: Final = "sitecrawl/sitemaps/links"

TEMPLATE_LEARNED: Final = "sitecrawl/template/learned"
TEMPLATE_VERSION: Final = "sitecrawl/template/version"
TEMPLATE_NODES: Final = "sitecrawl/template/nodes"
TEMPLATE_READY_AT: Final = "sitecrawl/template/ready_at"
TEMPLATE_STABLE_AT: Final = "sitecrawl/template/stable_at"
TEMPLATE_DRIFT: Final = "sitecrawl/template/drift"

CONTENT_EXTRACTED: Final = "sitecrawl/content/extracted"
CONTENT_WAITING: Final = "sitecrawl/content/waiting"
CONTENT_REPEATED: Final = "sitecrawl/content/repeated"
CONTENT_KIND: Final = "sitecrawl/content/kind"
CONTENT_STATUS: Final = "sitecrawl/content/status"
CONTENT_METHOD: Final = "sitecrawl/content/method"
CONTENT_OVERRIDE: Final = "sitecrawl/content/override"

STORAGE_BATCHES: Final = "sitecrawl/storage/batches"
STORAGE_OPERATIONS: Final = "sitecrawl/storage/operations"
STORAGE_RETRIES: Final = "sitecrawl/storage/retries"

SECONDS: Final = "sitecrawl/seconds"
"""Prefix of the seconds spent in a stage: `select`, `learn`, `extract`, `write`."""

GUARD_REFUSED: Final = "sitecrawl/guard/refused"
GUARD_HEADERS: Final = "sitecrawl/guard/too_many_headers"
ROBOTS: Final = "sitecrawl/robots"
BACKOFF: Final = "sitecrawl/backoff"
OUTAGE_PAUSES: Final = "sitecrawl/outage/pauses"
