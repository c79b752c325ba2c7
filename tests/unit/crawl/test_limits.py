"""The limits of `crawl` are those that docs/limits.md states: who plans memory and time relies on that page."""

from sitecrawl.crawl.anchor_text_sync import AT_ONCE as ANCHOR_TEXT_SYNC_AT_ONCE
from sitecrawl.crawl.change_detection import REPEATED as CHANGE_DETECTION_REPEATED
from sitecrawl.crawl.chunk_export import KEPT as CHUNK_EXPORT_KEPT
from sitecrawl.crawl.conditional_get import SETTLED as CONDITIONAL_GET_SETTLED
from sitecrawl.crawl.decision_check import ALIKE as DECISION_CHECK_ALIKE
from sitecrawl.crawl.decision_check import WRONG as DECISION_CHECK_WRONG
from sitecrawl.crawl.depth_limits import MOST as DEPTH_LIMITS_MOST
from sitecrawl.crawl.digest import CACHED as DIGEST_CACHED
from sitecrawl.crawl.frontier import LINK_PRIORITY as FRONTIER_LINK_PRIORITY
from sitecrawl.crawl.frontier import NEAR as FRONTIER_NEAR
from sitecrawl.crawl.frontier import NEAR_SHARE as FRONTIER_NEAR_SHARE
from sitecrawl.crawl.frontier import SAMPLE_PRIORITY as FRONTIER_SAMPLE_PRIORITY
from sitecrawl.crawl.frontier import SITEMAP_PRIORITY as FRONTIER_SITEMAP_PRIORITY
from sitecrawl.crawl.host_health import FIRST_PAUSE as HOST_HEALTH_FIRST_PAUSE
from sitecrawl.crawl.host_health import GOOD_URLS as HOST_HEALTH_GOOD_URLS
from sitecrawl.crawl.host_health import LONGEST_PAUSE as HOST_HEALTH_LONGEST_PAUSE
from sitecrawl.crawl.host_health import LONGEST_STREAK as HOST_HEALTH_LONGEST_STREAK
from sitecrawl.crawl.host_health import SEVERAL as HOST_HEALTH_SEVERAL
from sitecrawl.crawl.layout_decisions import SAMPLE as LAYOUT_DECISIONS_SAMPLE
from sitecrawl.crawl.layout_samples import SAMPLE as LAYOUT_SAMPLES_SAMPLE
from sitecrawl.crawl.learning import RECALLED as LEARNING_RECALLED
from sitecrawl.crawl.learning import SHAPES as LEARNING_SHAPES
from sitecrawl.crawl.out_of_scope import BATCH as OUT_OF_SCOPE_BATCH
from sitecrawl.crawl.out_of_scope import MOST as OUT_OF_SCOPE_MOST
from sitecrawl.crawl.page_lifecycle import LASTING as PAGE_LIFECYCLE_LASTING
from sitecrawl.crawl.page_lifecycle import LASTING_VISITS as PAGE_LIFECYCLE_LASTING_VISITS
from sitecrawl.crawl.page_lifecycle import STRIKES as PAGE_LIFECYCLE_STRIKES
from sitecrawl.crawl.publishing import TRIES as PUBLISHING_TRIES
from sitecrawl.crawl.replaced_texts import BARE as REPLACED_TEXTS_BARE
from sitecrawl.crawl.replaced_texts import CHANGED as REPLACED_TEXTS_CHANGED
from sitecrawl.crawl.replaced_texts import CHANGED_WORDS as REPLACED_TEXTS_CHANGED_WORDS
from sitecrawl.crawl.replaced_texts import REMEMBERED as REPLACED_TEXTS_REMEMBERED
from sitecrawl.crawl.replaced_texts import SHRUNK as REPLACED_TEXTS_SHRUNK
from sitecrawl.crawl.sandbox import KEPT as SANDBOX_KEPT
from sitecrawl.crawl.sandbox import MEMORY as SANDBOX_MEMORY
from sitecrawl.crawl.sandbox import PATIENCE as SANDBOX_PATIENCE
from sitecrawl.crawl.sandbox import SECONDS as SANDBOX_SECONDS
from sitecrawl.crawl.sandbox import STEP_SECONDS as SANDBOX_STEP_SECONDS
from sitecrawl.crawl.second_fetches import LEAST as SECOND_FETCHES_LEAST
from sitecrawl.crawl.second_fetches import LEFT as SECOND_FETCHES_LEFT
from sitecrawl.crawl.second_fetches import NEW as SECOND_FETCHES_NEW
from sitecrawl.crawl.second_fetches import SAMPLE as SECOND_FETCHES_SAMPLE
from sitecrawl.crawl.second_fetches import SHARE as SECOND_FETCHES_SHARE
from sitecrawl.crawl.site import ROWS as SITE_ROWS
from sitecrawl.crawl.site_lists import CACHED as SITE_LISTS_CACHED
from sitecrawl.crawl.site_lists import MOST_PAGES as SITE_LISTS_MOST_PAGES
from sitecrawl.crawl.site_options import MOST_LISTED as SITE_OPTIONS_MOST_LISTED
from sitecrawl.crawl.soft404 import ANNOUNCED, ERROR_TEXT
from sitecrawl.crawl.soft404 import MANY_WORDS as SOFT404_MANY_WORDS
from sitecrawl.crawl.soft404 import REMEMBERED as SOFT404_REMEMBERED
from sitecrawl.crawl.soft404 import SAME_TEXT as SOFT404_SAME_TEXT
from sitecrawl.crawl.soft404 import SCRIPT_LINKS as SOFT404_SCRIPT_LINKS
from sitecrawl.crawl.soft404 import SCRIPT_TEXT as SOFT404_SCRIPT_TEXT
from sitecrawl.crawl.soft404 import SHORT as SOFT404_SHORT
from sitecrawl.crawl.soft404 import SHORT_TEXT as SOFT404_SHORT_TEXT
from sitecrawl.crawl.soft404 import WALL_BEGINS as SOFT404_WALL_BEGINS
from sitecrawl.crawl.soft404 import WALL_TEXT as SOFT404_WALL_TEXT
from sitecrawl.crawl.sources import MAX_CANDIDATES as SOURCES_MAX_CANDIDATES
from sitecrawl.crawl.sources import MAX_DEPTH as SOURCES_MAX_DEPTH
from sitecrawl.crawl.sources import MAX_FEEDS as SOURCES_MAX_FEEDS
from sitecrawl.crawl.sources import MAX_INDEXES as SOURCES_MAX_INDEXES
from sitecrawl.crawl.sources import MAX_SITEMAPS as SOURCES_MAX_SITEMAPS
from sitecrawl.crawl.sources import NAMED_BY as SOURCES_NAMED_BY
from sitecrawl.crawl.sources import WHOLE_AFTER as SOURCES_WHOLE_AFTER
from sitecrawl.crawl.spellings import MOST as SPELLINGS_MOST
from sitecrawl.crawl.stored_pages import AHEAD as STORED_PAGES_AHEAD
from sitecrawl.crawl.stored_pages import DECIDING_ROOM as STORED_PAGES_DECIDING_ROOM
from sitecrawl.crawl.stored_pages import HELD as STORED_PAGES_HELD
from sitecrawl.crawl.stored_pages import HELD_BY_ALL as STORED_PAGES_HELD_BY_ALL
from sitecrawl.crawl.stored_pages import READINGS as STORED_PAGES_READINGS
from sitecrawl.crawl.stored_pages import TREE as STORED_PAGES_TREE
from sitecrawl.crawl.url_problems import SHOWN as URL_PROBLEMS_SHOWN
from sitecrawl.crawl.warm_start import RELEARNED as WARM_START_RELEARNED
from sitecrawl.crawl.work_turns import BEHIND as WORK_TURNS_BEHIND
from sitecrawl.crawl.work_turns import PAUSED_FROM as WORK_TURNS_PAUSED_FROM
from tests.documented import limits, written

LIMITS = {
    "crawl.site_lists.CACHED": SITE_LISTS_CACHED,
    "crawl.digest.CACHED": DIGEST_CACHED,
    "crawl.anchor_text_sync.AT_ONCE": ANCHOR_TEXT_SYNC_AT_ONCE,
    "crawl.change_detection.REPEATED": CHANGE_DETECTION_REPEATED,
    "crawl.chunk_export.KEPT": CHUNK_EXPORT_KEPT,
    "crawl.conditional_get.SETTLED": CONDITIONAL_GET_SETTLED,
    "crawl.decision_check.ALIKE": DECISION_CHECK_ALIKE,
    "crawl.decision_check.WRONG": DECISION_CHECK_WRONG,
    "crawl.frontier.LINK_PRIORITY": FRONTIER_LINK_PRIORITY,
    "crawl.depth_limits.MOST": DEPTH_LIMITS_MOST,
    "crawl.frontier.NEAR": FRONTIER_NEAR,
    "crawl.frontier.NEAR_SHARE": FRONTIER_NEAR_SHARE,
    "crawl.frontier.SAMPLE_PRIORITY": FRONTIER_SAMPLE_PRIORITY,
    "crawl.frontier.SITEMAP_PRIORITY": FRONTIER_SITEMAP_PRIORITY,
    "crawl.host_health.FIRST_PAUSE": HOST_HEALTH_FIRST_PAUSE,
    "crawl.host_health.GOOD_URLS": HOST_HEALTH_GOOD_URLS,
    "crawl.host_health.LONGEST_PAUSE": HOST_HEALTH_LONGEST_PAUSE,
    "crawl.host_health.LONGEST_STREAK": HOST_HEALTH_LONGEST_STREAK,
    "crawl.host_health.SEVERAL": HOST_HEALTH_SEVERAL,
    "crawl.layout_samples.SAMPLE": LAYOUT_SAMPLES_SAMPLE,
    "crawl.learning.RECALLED": LEARNING_RECALLED,
    "crawl.learning.SHAPES": LEARNING_SHAPES,
    "crawl.out_of_scope.BATCH": OUT_OF_SCOPE_BATCH,
    "crawl.out_of_scope.MOST": OUT_OF_SCOPE_MOST,
    "crawl.page_lifecycle.LASTING": PAGE_LIFECYCLE_LASTING,
    "crawl.page_lifecycle.LASTING_VISITS": PAGE_LIFECYCLE_LASTING_VISITS,
    "crawl.page_lifecycle.STRIKES": PAGE_LIFECYCLE_STRIKES,
    "crawl.layout_decisions.SAMPLE": LAYOUT_DECISIONS_SAMPLE,
    "crawl.publishing.TRIES": PUBLISHING_TRIES,
    "crawl.sandbox.KEPT": SANDBOX_KEPT,
    "crawl.sandbox.MEMORY": SANDBOX_MEMORY,
    "crawl.sandbox.PATIENCE": SANDBOX_PATIENCE,
    "crawl.sandbox.SECONDS": SANDBOX_SECONDS,
    "crawl.sandbox.STEP_SECONDS": SANDBOX_STEP_SECONDS,
    "crawl.second_fetches.LEAST": SECOND_FETCHES_LEAST,
    "crawl.second_fetches.LEFT": SECOND_FETCHES_LEFT,
    "crawl.second_fetches.NEW": SECOND_FETCHES_NEW,
    "crawl.second_fetches.SAMPLE": SECOND_FETCHES_SAMPLE,
    "crawl.second_fetches.SHARE": SECOND_FETCHES_SHARE,
    "crawl.site.ROWS": SITE_ROWS,
    "crawl.site_lists.MOST_PAGES": SITE_LISTS_MOST_PAGES,
    "crawl.site_options.MOST_LISTED": SITE_OPTIONS_MOST_LISTED,
    "crawl.replaced_texts.REMEMBERED": REPLACED_TEXTS_REMEMBERED,
    "crawl.replaced_texts.BARE": REPLACED_TEXTS_BARE,
    "crawl.replaced_texts.SHRUNK": REPLACED_TEXTS_SHRUNK,
    "crawl.replaced_texts.CHANGED": REPLACED_TEXTS_CHANGED,
    "crawl.replaced_texts.CHANGED_WORDS": REPLACED_TEXTS_CHANGED_WORDS,
    "crawl.soft404.ANNOUNCED": ANNOUNCED,
    "crawl.soft404.ERROR_TEXT": ERROR_TEXT,
    "crawl.soft404.MANY_WORDS": SOFT404_MANY_WORDS,
    "crawl.soft404.REMEMBERED": SOFT404_REMEMBERED,
    "crawl.soft404.SAME_TEXT": SOFT404_SAME_TEXT,
    "crawl.soft404.SCRIPT_LINKS": SOFT404_SCRIPT_LINKS,
    "crawl.soft404.SCRIPT_TEXT": SOFT404_SCRIPT_TEXT,
    "crawl.soft404.SHORT": SOFT404_SHORT,
    "crawl.soft404.SHORT_TEXT": SOFT404_SHORT_TEXT,
    "crawl.soft404.WALL_BEGINS": SOFT404_WALL_BEGINS,
    "crawl.soft404.WALL_TEXT": SOFT404_WALL_TEXT,
    "crawl.sources.MAX_CANDIDATES": SOURCES_MAX_CANDIDATES,
    "crawl.sources.MAX_DEPTH": SOURCES_MAX_DEPTH,
    "crawl.sources.MAX_FEEDS": SOURCES_MAX_FEEDS,
    "crawl.sources.MAX_INDEXES": SOURCES_MAX_INDEXES,
    "crawl.sources.MAX_SITEMAPS": SOURCES_MAX_SITEMAPS,
    "crawl.sources.NAMED_BY": SOURCES_NAMED_BY,
    "crawl.sources.WHOLE_AFTER": SOURCES_WHOLE_AFTER,
    "crawl.spellings.MOST": SPELLINGS_MOST,
    "crawl.stored_pages.AHEAD": STORED_PAGES_AHEAD,
    "crawl.stored_pages.DECIDING_ROOM": STORED_PAGES_DECIDING_ROOM,
    "crawl.stored_pages.HELD": STORED_PAGES_HELD,
    "crawl.stored_pages.HELD_BY_ALL": STORED_PAGES_HELD_BY_ALL,
    "crawl.stored_pages.READINGS": STORED_PAGES_READINGS,
    "crawl.stored_pages.TREE": STORED_PAGES_TREE,
    "crawl.url_problems.SHOWN": URL_PROBLEMS_SHOWN,
    "crawl.warm_start.RELEARNED": WARM_START_RELEARNED,
    "crawl.work_turns.PAUSED_FROM": WORK_TURNS_PAUSED_FROM,
    "crawl.work_turns.BEHIND": WORK_TURNS_BEHIND,
}


def test_the_limits_of_the_page_are_those_of_the_code():
    assert limits("crawl") == {name: written(value) for name, value in LIMITS.items()}
