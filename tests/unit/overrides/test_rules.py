import pytest

from sitecrawl.overrides.reading import parse_override
from sitecrawl.overrides.rules import url_pattern


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://e.example/forum/1?page=2", "forum"),
        ("https://e.example/forum", ""),
        ("https://e.example/tag/x", "2"),
        ("https://e.example/2024/05/x", "archive"),
        ("https://e.example/list?id=7", "exact"),
        ("https://e.example/list?id=77", ""),
        ("https://m.e.example/x", "mobile"),
        ("https://e.example", "exact"),
    ],
)
def test_the_first_layout_that_matches_counts(url, name):
    override = parse_override(
        """
        content: main
        layouts:
        - {name: forum, url: /forum/*, kind: forum}
        - {url: [/forum/*, /tag/*], kind: listing}
        - {name: archive, url: 're: ^/\\d{4}/', kind: listing}
        - {name: exact, url: ["/list?id=7", /], kind: listing}
        - {name: mobile, url: 'https://m.*', content: body}
        """,
        "e.yaml",
    )
    assert override.rule(url).name == name


@pytest.mark.parametrize(("pattern", "wrong"), [("forum/*", "begin it with /"), ("re:(", "not a regular expression")])
def test_a_bad_url_pattern_is_refused_with_the_reason(pattern, wrong):
    with pytest.raises(ValueError, match=wrong):
        url_pattern(pattern)
