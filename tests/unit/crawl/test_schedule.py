import pytest

from sitecrawl.config import Config
from sitecrawl.crawl.schedule import parse_every, site_bounds
from sitecrawl.errors import ConfigError
from sitecrawl.scheduling import POLICIES, Bounds


def test_the_settings_are_the_bounds():
    assert site_bounds(Config()) == Bounds()
    config = Config.from_mapping({"SITECRAWL_RECRAWL_MIN_INTERVAL": 60, "SITECRAWL_RECRAWL_WORTH": 30})
    assert site_bounds(config) == Bounds(minimum=60, worth=30)


def test_every_policy_can_be_set():
    for policy in POLICIES:
        assert Config.from_mapping({"SITECRAWL_RECRAWL_POLICY": policy}).recrawl_policy == policy
    with pytest.raises(ConfigError, match="SITECRAWL_RECRAWL_POLICY='daily'"):
        Config.from_mapping({"SITECRAWL_RECRAWL_POLICY": "daily"})


def test_settings_that_contradict():
    with pytest.raises(ConfigError, match="SITECRAWL_RECRAWL_MIN_INTERVAL=100 cannot be used: it is longer than"):
        Config.from_mapping({"SITECRAWL_RECRAWL_MIN_INTERVAL": 100, "SITECRAWL_RECRAWL_MAX_INTERVAL": 50})


def test_a_site_may_have_bounds_of_its_own():
    own = {"recrawl_min_interval": 60, "recrawl_max_interval": 120}
    assert site_bounds(Config(), own) == Bounds(minimum=60, maximum=120)
    with pytest.raises(ConfigError):
        site_bounds(Config(), {"recrawl_max_interval": 60})


@pytest.mark.parametrize(
    ("text", "found"),
    [("6h-30d", (21_600, 2_592_000)), ("1d", (86_400, 86_400)), ("30min-90min", (1800, 5400)), ("5s-1h", (5, 3600))],
)
def test_intervals_as_they_are_typed(text, found):
    assert parse_every(text) == found


@pytest.mark.parametrize("text", ["", "h", "3", "3x", "1.5h", "-3h", "2d-1d", "0s-1d", "1h-999d", "9999999999999d"])
def test_what_is_no_interval(text):
    with pytest.raises(ConfigError):
        parse_every(text)
