import pytest

from sitecrawl.config import Config
from sitecrawl.errors import ConfigError
from sitecrawl.service.site_settings import Choice, read_site_settings


@pytest.fixture
def read(tmp_path):
    def written(text, config=None):
        file = tmp_path / "sites.toml"
        file.write_text(text)
        return read_site_settings(str(file), config or Config())

    return written


def test_without_a_file_the_settings_count():
    made = read_site_settings(None, Config(extractor="cnr", extractor_options={"share": 0.2}))
    assert made.choice("https://example.org/") == Choice("cnr", {"share": 0.2})


def test_the_nearest_domain_counts(read):
    made = read('["example.org"]\nmethod = "cnr"\n["www.news.example.org"]\nmethod = "density"\n')
    chosen = {host: made.choice(f"https://{host}/x").method for host in ("example.org", "a.example.org", "example.com")}
    assert chosen == {"example.org": "cnr", "a.example.org": "cnr", "example.com": "combined"}
    assert made.choice("https://news.example.org:8080/").method == "density"


def test_options_go_with_their_method(read):
    made = read('method = "crunch"\n[options]\nlink_ratio = 0.5\n["h.example".options]\nretain_links = false\n')
    choice = made.choice("https://h.example/")
    assert choice == Choice("crunch", {"link_ratio": 0.5, "retain_links": False})
    assert choice.changed(None, {"link_ratio": 1}).options == {"link_ratio": 1, "retain_links": False}
    assert choice.changed("cnr", {}) == Choice("cnr", {})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("method", "not TOML"),
        ('["h.example"]\nmethod = "nonsense"\n', "h.example: unknown extraction method"),
        ('["h.example"]\nnonsense = 1\n', "h.example: takes method and options"),
        ('["h.example"]\nmethod = 1\n', "h.example: method is a name"),
        ('host = "h.example"\n', "host: takes method and options"),
        ('method = "crunch"\n[options]\nlink_ratio = "x"\n', "link_ratio is 'x'"),
    ],
)
def test_files_that_cannot_be_used(read, text, words):
    with pytest.raises(ConfigError, match=words):
        read(text)


def test_a_file_that_is_not_there():
    with pytest.raises(ConfigError, match="/nowhere: cannot be read"):
        read_site_settings("/nowhere", Config())


@pytest.mark.parametrize("host", ["127.0.0.1:18340", "http://example.org/", "example.org/x"])
def test_a_table_that_no_page_can_have_is_refused(read, host):
    with pytest.raises(ConfigError, match="is not a host; write it without scheme, port and path"):
        read(f'["{host}"]\nmethod = "cnr"\n')
