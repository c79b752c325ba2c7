import pytest

from sitecrawl.config import Config
from sitecrawl.errors import ConfigError
from sitecrawl.overrides.folders import Overrides
from sitecrawl.ui.override_files import (
    ChangedMeanwhileError,
    Correction,
    corrections,
    override_file,
    save,
    with_correction,
    without_correction,
)

URL = "https://www.example.org/a"
FILE = """# Written by hand.
# See the manual.

content: main
exclude: [.share, .ad]
layouts:
- url: /forum/*
  name: forum
  content: [.post]
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path


def opened(folder, url=URL):
    config = Config(overrides=(str(folder),))
    return override_file(config, url, Overrides(config.overrides).rule(url))


def test_a_new_file_is_named_after_the_host(folder):
    file = opened(folder)
    assert (file.path, file.text, corrections(file)) == (folder / "example.org.yaml", "", [])
    text = with_correction(file, Correction("content", "main > .text"))
    save(file, text, file.digest)
    assert text == "content:\n- main > .text\n"
    assert corrections(opened(folder)) == [Correction("content", "main > .text")]
    assert [path.name for path in folder.iterdir()] == ["example.org.yaml"]


def test_corrections_are_added_where_the_page_is_ruled(folder):
    (folder / "example.org.yaml").write_text(FILE)
    file = opened(folder)
    assert corrections(file) == [
        *(Correction("content", "main"), Correction("exclude", ".share"), Correction("exclude", ".ad")),
        Correction("content", ".post", "forum"),
    ]
    text = with_correction(file, Correction("content", "#new", "forum"))
    assert text.startswith("# Written by hand.\n# See the manual.\ncontent: main\n")
    save(file, text, file.digest)
    rule = Overrides([folder]).rule("https://example.org/forum/1")
    assert [one.text for one in rule.content] == ["#new", ".post"]
    assert [one.text for one in rule.exclude] == [".share", ".ad"]
    last = with_correction(opened(folder), Correction("exclude", ".x"))
    assert "- .share\n- .ad\n- .x\n" in last


def test_the_same_correction_is_there_once(folder):
    (folder / "example.org.yaml").write_text("content: [a, b]\n")
    assert with_correction(opened(folder), Correction("content", "b")) == "content:\n- b\n- a\n"


def test_what_is_taken_back_is_gone(folder):
    (folder / "example.org.yaml").write_text("exclude: [.share, .ad]\n")
    file = opened(folder)
    text = without_correction(file, Correction("exclude", ".share"))
    assert text == "exclude:\n- .ad\n"
    save(file, text, file.digest)
    file = opened(folder)
    save(file, without_correction(file, Correction("exclude", ".ad")), file.digest)
    assert list(folder.iterdir()) == []


def test_a_layout_without_rules_goes_with_its_last_one(folder):
    (folder / "example.org.yaml").write_text(FILE)
    assert "layouts" not in without_correction(opened(folder), Correction("content", ".post", "forum"))
    with pytest.raises(ChangedMeanwhileError, match="has no layout gone any more"):
        without_correction(opened(folder), Correction("content", ".post", "gone"))


def test_of_two_people_the_second_is_told(folder):
    first, second = opened(folder), opened(folder)
    save(first, "content: a\n", first.digest)
    with pytest.raises(ChangedMeanwhileError, match="this file has changed meanwhile; nothing was saved"):
        save(second, "content: b\n", second.digest)
    assert (folder / "example.org.yaml").read_text() == "content: a\n"


def test_a_correction_below_a_domain_with_a_file_makes_a_file_of_its_own(folder):
    above, own = folder / "example.org.yaml", folder / "news.example.org.yaml"
    above.write_text("content: .main # for all hosts\nexclude: .ad\n")
    config, url = Config(overrides=(str(folder),)), "https://news.example.org/1"

    def opened():
        return override_file(config, url, Overrides([folder]).rule(url))

    file = opened()
    assert (file.path, file.inherited, len(corrections(file))) == (own, above, 2)
    save(file, with_correction(file, Correction("include", ".share")), file.digest)
    assert own.read_text() == "content: .main\nexclude: .ad\ninclude:\n- .share\n"
    assert above.read_text() == "content: .main # for all hosts\nexclude: .ad\n"
    assert sorted(one.name for one in folder.iterdir()) == [above.name, own.name]
    with pytest.raises(ChangedMeanwhileError):
        save(file, "content: .other\n", file.digest)  # by another tab
    assert opened().inherited is None


def test_inherited_rules_are_taken_back_one_by_one_but_not_the_last(folder):
    above, own = folder / "example.org.yaml", folder / "news.example.org.yaml"
    config, url = Config(overrides=(str(folder),)), "https://news.example.org/1"
    above.write_text("content: .main\nexclude: .ad\n")
    file = override_file(config, url, Overrides([folder]).rule(url))
    save(file, without_correction(file, Correction("exclude", ".ad")), file.digest)
    assert own.read_text() == "content: .main\n"
    own.unlink()
    above.write_text("content: .main\n")
    file = override_file(config, url, Overrides([folder]).rule(url))
    with pytest.raises(ConfigError, match=r"example\.org\.yaml applies to this site too, and has only this selector"):
        save(file, without_correction(file, Correction("content", ".main")), file.digest)
    assert [one.name for one in folder.iterdir()] == [above.name]


def test_comments_that_would_be_lost_are_kept_beside(folder):
    path = folder / "example.org.yaml"
    path.write_text("# head\ncontent: a # why\n")
    file = opened(folder)
    save(file, with_correction(file, Correction("exclude", ".b")), file.digest)
    assert path.read_text() == "# head\ncontent: a\nexclude:\n- .b\n"
    assert (folder / "example.org.yaml.bak").read_text() == "# head\ncontent: a # why\n"
    assert Overrides([folder]).rule(URL) is not None  # the copy is no override


def test_what_cannot_be_saved_changes_nothing(folder):
    (folder / "example.org.yaml").write_text("content: a\n")
    file = opened(folder)
    with pytest.raises(ConfigError, match=r"example\.org\.yaml: content: '>>' is not a valid CSS selector"):
        save(file, with_correction(file, Correction("content", ">>"))[:0] + "content: '>>'\n", file.digest)
    assert (folder / "example.org.yaml").read_text() == "content: a\n"
    with pytest.raises(ConfigError, match="SITECRAWL_OVERRIDES names no folder for corrections"):
        override_file(Config(), URL, None)


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    config = Config(overrides=(str(tmp_path / "file" / "below"),))
    file = override_file(config, URL, None)
    with pytest.raises(ConfigError, match="cannot be written"):
        save(file, "content: a\n", file.digest)
