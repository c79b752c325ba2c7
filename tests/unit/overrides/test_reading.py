import pytest

from sitecrawl.errors import ConfigError
from sitecrawl.overrides.reading import MAX_BYTES, parse_override, read_override
from sitecrawl.overrides.rules import Comments, SiteKind

BOMB = "\n".join(
    ["title: &a [[x, x]]"]
    + [
        f"{key}: &{name} [{', '.join([alias] * 400)}]"
        for key, name, alias in (("content", "b", "*a"), ("exclude", "c", "*b"), ("kind", "d", "*c"))
    ]
)
"""64 million items when it is written out."""


def test_an_alias_may_stand_for_texts():
    rest = parse_override("content: &a [main, &b h1]\nexclude: *a\ntitle: *b", "e.example.yaml").rest
    assert (texts(rest.content), texts(rest.exclude), texts(rest.title)) == (["main", "h1"], ["main", "h1"], ["h1"])


def test_a_long_value_is_not_repeated_whole():
    with pytest.raises(ConfigError) as error:
        parse_override(f"kind: {'x' * 10_000}", "e.example.yaml")
    assert len(str(error.value)) < 300


def texts(selectors):
    return [one.text for one in selectors]


def test_a_whole_file():
    override = parse_override(
        """
        # the blog has two layouts
        content: [article .body, //main]
        exclude: .share
        title: h1
        comments: drop
        layouts:
          - url: /forum/*
            name: forum
            kind: forum
            content: .post
            exclude: [.signature]
            comments: keep
        """,
        "e.example.yaml",
    )
    rest, forum = override.rest, override.layouts[0]
    assert (texts(rest.content), texts(rest.exclude), texts(rest.title)) == (
        ["article .body", "//main"],
        [".share"],
        ["h1"],
    )
    assert (rest.kind, rest.comments, rest.name) == (None, Comments.DROP, "")
    assert (texts(forum.content), texts(forum.exclude)) == ([".post"], [".share", ".signature"])
    assert (forum.kind, forum.comments, texts(forum.title), forum.name) == (
        SiteKind.FORUM,
        Comments.KEEP,
        ["h1"],
        "forum",
    )


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "is empty; write"),
        ("just text", "holds no keys; write"),
        ("[content]", "holds no keys; write"),
        ("contents: main", "contents: unknown key; known: content, include"),
        ("content: main\ncontent: p", "line 2: the key 'content' is repeated"),
        ("? [a]\n: b", "cannot be used|no such key|unhashable"),
        ("content: 'a", "line 1"),
        ("content: 'div['", "content: 'div[' is not a valid CSS selector"),
        ("content: [main, '//p[']", "content[2]: '//p[' is not a valid XPath selector"),
        ("content: 7", "content: 7 is neither a text"),
        ("content: []", "content: [] is neither a text"),
        ("content: [no]", "content: False is not a text; write it in quotes"),
        ("exclude: {a: b}", "exclude: {'a': 'b'} is neither a text"),
        ("kind: wiki", "kind: 'wiki' cannot be used; one of article, forum, listing, none"),
        ("kind: []", "kind: [] cannot be used"),
        ("comments: no", "comments: False cannot be used; one of keep, drop"),
        ("layouts: /forum/*", "layouts: is not a list of rules"),
        ("layouts: [a]", "layouts: is not a list of rules"),
        ("layouts: [{content: p}]", "layouts[1].url: is missing"),
        ("layouts: [{url: /a, layouts: []}]", "layouts[1].layouts: unknown key"),
        ("layouts: [{url: a}]", "layouts[1].url: 'a' is not a URL pattern"),
        ("layouts: [{url: /a}, {url: /b, exclude: '['}]", "layouts[2].exclude: '['"),
        ("layouts: [{url: /a, name: 'a b'}]", "layouts[1].name: 'a b' is not a name"),
        ("layouts: [{url: /a, name: x}, {url: /b, name: x}]", "two have the name 'x'"),
        ("!!python/object/apply:os.getcwd []", "line 1"),
        ("[" * 5000, ""),
        ("content: \x00", "not YAML"),
        ("content: 2024-99-99", "not YAML"),
        (BOMB, "line 2: the alias *a is not a text"),
        ("title: &a {x: y}\nlayouts: [{<<: *a}]", "line 2: the alias *a is not a text"),
        ("content: &a [*a]", "is not a text"),
    ],
)
def test_what_cannot_be_used_names_file_and_key(text, wrong):
    with pytest.raises(ConfigError) as error:
        parse_override(text, "folder/e.example.yaml")
    message = str(error.value)
    assert message.startswith("folder/e.example.yaml: ")
    assert any(one in message for one in wrong.split("|"))
    assert len(message.splitlines()) == 1


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        read_override(tmp_path / "none.yaml")
    bad = tmp_path / "e.example.yaml"
    bad.write_bytes(b"content: \xff")
    with pytest.raises(ConfigError, match="not UTF-8"):
        read_override(bad)
    bad.write_bytes(b"# " + b"x" * MAX_BYTES)
    with pytest.raises(ConfigError, match="over"):
        read_override(bad)
    bad.write_text("content: máin")
    assert texts(read_override(bad).rest.content) == ["máin"]
