import pytest

from sitecrawl.errors import ConfigError
from sitecrawl.links.scope import SiteScope
from sitecrawl.overrides.folders import Overrides, without_site


def folder(path, **files):
    path.mkdir(exist_ok=True)
    for name, text in files.items():
        (path / name.replace("_", ".")).write_text(text)
    return path


def content(overrides, url):
    rule = overrides.rule(url)
    return rule.content[0].text if rule else None


def test_the_file_of_the_host_or_of_a_domain_above_it(tmp_path):
    found = Overrides(
        [
            folder(
                tmp_path / "a",
                example_org_yaml="content: a",
                www_example_net_yml="content: b",
                forum_example_org_yaml="content: c",
                xn__yaml="content: d",
                co_uk_yaml="content: e",
                readme_txt="no",
            )
        ]
    )
    assert content(found, "http://example.org/") == "a"
    assert content(found, "https://www.example.org:8443/x") == "a"
    assert content(found, "https://old.news.example.org/x") == "a"
    assert content(found, "https://example.net/") == "b"
    assert content(found, "https://forum.example.org/") == "c"
    assert content(found, "https://x.forum.example.org/") == "c"
    assert content(found, "https://example.co.uk/") is None
    assert content(found, "about:stdin") is None


def test_addresses_and_other_alphabets(tmp_path):
    files = folder(tmp_path / "a")
    (files / "127.0.0.1.yaml").write_text("content: a")
    (files / "müller.de.yaml").write_text("content: b")
    found = Overrides([files])
    assert content(found, "http://127.0.0.1:8000/x") == "a"
    assert content(found, "http://xn--mller-kva.de/") == "b"


def test_the_first_folder_counts(tmp_path):
    own = folder(tmp_path / "own", e_example_yaml="content: a")
    theirs = folder(tmp_path / "theirs", e_example_yaml="content: b", f_example_yaml="content: c")
    found = Overrides([own, theirs])
    assert content(found, "http://e.example/") == "a"
    assert content(found, "http://f.example/") == "c"
    assert content(Overrides(), "http://e.example/") is None


def test_what_may_apply_is_read_at_the_start_and_nothing_else(tmp_path):
    files = folder(tmp_path / "a", broken_org_yaml="content: '['", sub_broken_org_yaml="content: p")
    Overrides([files]).load(SiteScope.of("http://e.example/"))
    for url, scope in (
        ("http://broken.org/", "host"),
        ("http://www.broken.org:8000/", "host"),
        ("http://a.broken.org/", "host"),
        ("http://sub.broken.org/", "domain"),
    ):
        with pytest.raises(ConfigError, match=r"broken\.org\.yaml: content"):
            Overrides([files]).load(SiteScope.of(url, scope))


def test_the_digest_changes_with_the_files_of_the_site_only(tmp_path):
    def digest(**files):
        found = Overrides([folder(tmp_path / "a", **files)])
        found.load(SiteScope.of("http://e.example/"))
        return found.digest

    assert digest(f_example_yaml="content: p") == ""
    first = digest(e_example_yaml="content: p")
    assert first
    assert digest(f_example_yaml="content: h1") == first
    assert digest(e_example_yaml="content: h1") not in ("", first)


def test_folders_that_cannot_be_used(tmp_path):
    with pytest.raises(ConfigError, match=r"none: not a folder of overrides.*SITECRAWL_OVERRIDES"):
        Overrides([tmp_path / "none"])
    twice = folder(tmp_path / "twice", e_example_yaml="", www_e_example_yaml="")
    with pytest.raises(ConfigError, match=r"www\.e\.example\.yaml: e\.example\.yaml is for the same host"):
        Overrides([twice])
    named = folder(tmp_path / "named")
    (named / "no host.yaml").write_text("")
    with pytest.raises(ConfigError, match="'no host' is not a host"):
        Overrides([named])


@pytest.mark.parametrize(
    ("host", "lost"),
    [
        ("news.example.org", None),
        ("example.org", None),
        ("127.0.0.1", None),
        ("a.whole.org", None),  # a host of a site that is a whole domain
        ("nesw.example.org", "news.example.org"),
        ("other.test", ""),
        ("org", ""),
    ],
)
def test_a_file_of_no_site_is_named_with_the_site_that_may_be_meant(host, lost):
    sites = ["www.news.example.org", "127.0.0.1:8000", "whole.org"]
    assert without_site([host], sites) == ({} if lost is None else {host: lost})
