"""The limits of `storage` are those that docs/limits.md states: who plans memory and time relies on that page."""

from sitecrawl.storage.anchor_texts import CACHED as ANCHOR_TEXTS_CACHED
from sitecrawl.storage.anchor_texts import CHUNK as ANCHOR_TEXTS_CHUNK
from sitecrawl.storage.anchor_texts import MOST_SETTLED as ANCHOR_TEXTS_MOST_SETTLED
from sitecrawl.storage.anchor_texts import TARGETS as ANCHOR_TEXTS_TARGETS
from sitecrawl.storage.anchor_texts import TEXTS as ANCHOR_TEXTS_TEXTS
from sitecrawl.storage.bodies import LEVEL as BODIES_LEVEL
from sitecrawl.storage.body_pruning import DAY as BODY_PRUNING_DAY
from sitecrawl.storage.body_pruning import FEW as BODY_PRUNING_FEW
from sitecrawl.storage.body_pruning import MOST as BODY_PRUNING_MOST
from sitecrawl.storage.body_store import DIGEST as BODY_STORE_DIGEST
from sitecrawl.storage.body_store import FOLDERS as BODY_STORE_FOLDERS
from sitecrawl.storage.contents import STREAMED as CONTENTS_STREAMED
from sitecrawl.storage.crawl_progress import COUNTED as CRAWL_PROGRESS_COUNTED
from sitecrawl.storage.crawl_progress import RECENT as CRAWL_PROGRESS_RECENT
from sitecrawl.storage.crawl_progress import SAMPLED as CRAWL_PROGRESS_SAMPLED
from sitecrawl.storage.crawl_progress import SHORTEST as CRAWL_PROGRESS_SHORTEST
from sitecrawl.storage.crawls import AT_ONCE as CRAWLS_AT_ONCE
from sitecrawl.storage.crawls import KEPT as CRAWLS_KEPT
from sitecrawl.storage.crawls import REASON_LENGTH as CRAWLS_REASON_LENGTH
from sitecrawl.storage.db.engine import BUSY_SECONDS as ENGINE_BUSY_SECONDS
from sitecrawl.storage.db.engine import CHECKED_BYTES as ENGINE_CHECKED_BYTES
from sitecrawl.storage.db.engine import RETRY_SECONDS as ENGINE_RETRY_SECONDS
from sitecrawl.storage.db.server_engine import CONNECT_SECONDS as ENGINE_CONNECT_SECONDS
from sitecrawl.storage.db.writer import FIRST_PAUSE as WRITER_FIRST_PAUSE
from sitecrawl.storage.db.writer import GROUP as WRITER_GROUP
from sitecrawl.storage.db.writer import LAST_PATIENCE as WRITER_LAST_PATIENCE
from sitecrawl.storage.db.writer import LATEST as WRITER_LATEST
from sitecrawl.storage.db.writer import LONGEST_PAUSE as WRITER_LONGEST_PAUSE
from sitecrawl.storage.db.writer import PATIENCE as WRITER_PATIENCE
from sitecrawl.storage.duplicate_pairs import CANDIDATES as DUPLICATE_PAIRS_CANDIDATES
from sitecrawl.storage.duplicates import CANDIDATES as DUPLICATES_CANDIDATES
from sitecrawl.storage.exports import LISTED as EXPORTS_LISTED
from sitecrawl.storage.exports import READ as EXPORTS_READ
from sitecrawl.storage.fleet_status import LATE as FLEET_STATUS_LATE
from sitecrawl.storage.fleet_status import RECENT as FLEET_STATUS_RECENT
from sitecrawl.storage.fleet_status import SAMPLED as FLEET_STATUS_SAMPLED
from sitecrawl.storage.hosts import NETLOC_LENGTH as HOSTS_NETLOC_LENGTH
from sitecrawl.storage.hosts import SAMPLE as HOSTS_SAMPLE
from sitecrawl.storage.leases import DEATHS as LEASES_DEATHS
from sitecrawl.storage.leases import LONGEST_LEASE as LEASES_LONGEST_LEASE
from sitecrawl.storage.outbox import NUMBERED_AT_ONCE as OUTBOX_NUMBERED_AT_ONCE
from sitecrawl.storage.page_change import REASON_LENGTH as PAGE_CHANGE_REASON_LENGTH
from sitecrawl.storage.page_change import SMALL as PAGE_CHANGE_SMALL
from sitecrawl.storage.page_report import GROUPED
from sitecrawl.storage.page_report import REASONS as PAGE_REPORT_REASONS
from sitecrawl.storage.pages import CHUNK as PAGES_CHUNK
from sitecrawl.storage.pages import STREAMED as PAGES_STREAMED
from sitecrawl.storage.robots import HOST_LENGTH as ROBOTS_HOST_LENGTH
from sitecrawl.storage.search.postgresql import CANDIDATES as POSTGRESQL_CANDIDATES
from sitecrawl.storage.search.postgresql import MAX_BYTES as POSTGRESQL_MAX_BYTES
from sitecrawl.storage.search.postgresql import MAX_SHORT_BYTES as POSTGRESQL_MAX_SHORT_BYTES
from sitecrawl.storage.search.repository import SPARE as REPOSITORY_SPARE
from sitecrawl.storage.search.repository import SPARE_INEXACT as REPOSITORY_SPARE_INEXACT
from sitecrawl.storage.search.stemming import CACHED as STEMMING_CACHED
from sitecrawl.storage.search.terms import CACHED as TERMS_CACHED
from sitecrawl.storage.search.terms import CACHED_LENGTH as TERMS_CACHED_LENGTH
from sitecrawl.storage.search.terms import MAX_CLAUSES as TERMS_MAX_CLAUSES
from sitecrawl.storage.simhash_bands import LEAST_CHARS as SIMHASH_BANDS_LEAST_CHARS
from sitecrawl.storage.simhash_bands import NEAREST as SIMHASH_BANDS_NEAREST
from sitecrawl.storage.site_register import AT_ONCE as SITE_REGISTER_AT_ONCE
from sitecrawl.storage.site_report import SAMPLED as SITE_REPORT_SAMPLED
from sitecrawl.storage.site_values import AT_ONCE as SITE_VALUES_AT_ONCE
from sitecrawl.storage.tables.templates import LABEL_LENGTH as TEMPLATES_LABEL_LENGTH
from sitecrawl.storage.templates import CHUNK as TEMPLATES_CHUNK
from tests.documented import limits, written

LIMITS = {
    "storage.anchor_texts.CACHED": ANCHOR_TEXTS_CACHED,
    "storage.anchor_texts.CHUNK": ANCHOR_TEXTS_CHUNK,
    "storage.anchor_texts.MOST_SETTLED": ANCHOR_TEXTS_MOST_SETTLED,
    "storage.anchor_texts.TARGETS": ANCHOR_TEXTS_TARGETS,
    "storage.anchor_texts.TEXTS": ANCHOR_TEXTS_TEXTS,
    "storage.bodies.LEVEL": BODIES_LEVEL,
    "storage.body_pruning.DAY": BODY_PRUNING_DAY,
    "storage.body_pruning.FEW": BODY_PRUNING_FEW,
    "storage.body_pruning.MOST": BODY_PRUNING_MOST,
    "storage.body_store.DIGEST": BODY_STORE_DIGEST,
    "storage.body_store.FOLDERS": BODY_STORE_FOLDERS,
    "storage.contents.STREAMED": CONTENTS_STREAMED,
    "storage.crawl_progress.COUNTED": CRAWL_PROGRESS_COUNTED,
    "storage.crawl_progress.RECENT": CRAWL_PROGRESS_RECENT,
    "storage.crawl_progress.SAMPLED": CRAWL_PROGRESS_SAMPLED,
    "storage.crawl_progress.SHORTEST": CRAWL_PROGRESS_SHORTEST,
    "storage.crawls.AT_ONCE": CRAWLS_AT_ONCE,
    "storage.crawls.KEPT": CRAWLS_KEPT,
    "storage.crawls.REASON_LENGTH": CRAWLS_REASON_LENGTH,
    "storage.db.engine.BUSY_SECONDS": ENGINE_BUSY_SECONDS,
    "storage.db.engine.CHECKED_BYTES": ENGINE_CHECKED_BYTES,
    "storage.db.server_engine.CONNECT_SECONDS": ENGINE_CONNECT_SECONDS,
    "storage.db.engine.RETRY_SECONDS": ENGINE_RETRY_SECONDS,
    "storage.db.writer.FIRST_PAUSE": WRITER_FIRST_PAUSE,
    "storage.db.writer.GROUP": WRITER_GROUP,
    "storage.db.writer.LAST_PATIENCE": WRITER_LAST_PATIENCE,
    "storage.db.writer.LATEST": WRITER_LATEST,
    "storage.db.writer.LONGEST_PAUSE": WRITER_LONGEST_PAUSE,
    "storage.db.writer.PATIENCE": WRITER_PATIENCE,
    "storage.duplicate_pairs.CANDIDATES": DUPLICATE_PAIRS_CANDIDATES,
    "storage.duplicates.CANDIDATES": DUPLICATES_CANDIDATES,
    "storage.exports.LISTED": EXPORTS_LISTED,
    "storage.exports.READ": EXPORTS_READ,
    "storage.fleet_status.LATE": FLEET_STATUS_LATE,
    "storage.fleet_status.RECENT": FLEET_STATUS_RECENT,
    "storage.fleet_status.SAMPLED": FLEET_STATUS_SAMPLED,
    "storage.hosts.NETLOC_LENGTH": HOSTS_NETLOC_LENGTH,
    "storage.hosts.SAMPLE": HOSTS_SAMPLE,
    "storage.leases.DEATHS": LEASES_DEATHS,
    "storage.leases.LONGEST_LEASE": LEASES_LONGEST_LEASE,
    "storage.outbox.NUMBERED_AT_ONCE": OUTBOX_NUMBERED_AT_ONCE,
    "storage.page_change.REASON_LENGTH": PAGE_CHANGE_REASON_LENGTH,
    "storage.page_change.SMALL": PAGE_CHANGE_SMALL,
    "storage.page_report.GROUPED": GROUPED,
    "storage.page_report.REASONS": PAGE_REPORT_REASONS,
    "storage.pages.CHUNK": PAGES_CHUNK,
    "storage.pages.STREAMED": PAGES_STREAMED,
    "storage.robots.HOST_LENGTH": ROBOTS_HOST_LENGTH,
    "storage.search.postgresql.CANDIDATES": POSTGRESQL_CANDIDATES,
    "storage.search.postgresql.MAX_BYTES": POSTGRESQL_MAX_BYTES,
    "storage.search.postgresql.MAX_SHORT_BYTES": POSTGRESQL_MAX_SHORT_BYTES,
    "storage.search.repository.SPARE": REPOSITORY_SPARE,
    "storage.search.repository.SPARE_INEXACT": REPOSITORY_SPARE_INEXACT,
    "storage.search.stemming.CACHED": STEMMING_CACHED,
    "storage.search.terms.CACHED": TERMS_CACHED,
    "storage.search.terms.CACHED_LENGTH": TERMS_CACHED_LENGTH,
    "storage.search.terms.MAX_CLAUSES": TERMS_MAX_CLAUSES,
    "storage.simhash_bands.LEAST_CHARS": SIMHASH_BANDS_LEAST_CHARS,
    "storage.simhash_bands.NEAREST": SIMHASH_BANDS_NEAREST,
    "storage.site_register.AT_ONCE": SITE_REGISTER_AT_ONCE,
    "storage.site_report.SAMPLED": SITE_REPORT_SAMPLED,
    "storage.site_values.AT_ONCE": SITE_VALUES_AT_ONCE,
    "storage.tables.templates.LABEL_LENGTH": TEMPLATES_LABEL_LENGTH,
    "storage.templates.CHUNK": TEMPLATES_CHUNK,
}


def test_the_limits_of_the_page_are_those_of_the_code():
    assert limits("storage") == {name: written(value) for name, value in LIMITS.items()}
