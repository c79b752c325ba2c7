"""Whether a known page may be asked for only if it changed, and what is stored of what came back."""

from sitecrawl.crawl.life import Decision, Finding, decide
from sitecrawl.links.urls import url_key
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.pages import Fetch, PageRepository
from sitecrawl.storage.revisits import RevisitRepository, Validators
from sitecrawl.storage.session import Session


def may_ask(page_key: int, validators: Validators, every: int) -> bool:
    """Say whether a page may be asked for with validators; at least each `every`th fetch is a whole one, 0 for never.

    So validators that lie are found out. Keys spread the whole fetches over the second half of the time, so that
    pages fetched first on one day are not all fetched whole on one day later.
    """
    if not every:
        return True
    return validators.not_modified < every - 1 - page_key % max(every // 2, 1)


def record(session: Session, site_id: int, fetch: Fetch, finding: Finding) -> Decision:
    """Decide on a page by what is known of it now, and store that; `fetch` tells what does not depend on it."""
    decision = decided(session, site_id, fetch.url_key, finding)
    decided_fetch = fetch._replace(
        status=decision.status, reason=decision.reason, strikes=decision.strikes, delete=decision.delete
    )
    PageRepository(session).record(site_id, [decided_fetch])
    return decision


def decided(session: Session, site_id: int, page_key: int, finding: Finding) -> Decision:
    """Decide on a page by what is known of it now."""
    if finding.canonical is not None:
        indexed = ContentRepository(session).indexed(site_id, url_key(finding.canonical))
        finding = finding._replace(canonical_indexed=indexed)
    return decide(RevisitRepository(session).state(site_id, page_key), finding)
