"""Names and types of members are found by their kept descriptions."""

import pytest

from sitecrawl.extractors.combined.described_members import LONGEST, described

from .sites import Sample

TEXT = "<p>How many boats a page of the answer has, and whose they are.</p>"


def member(name, more="integer", text=TEXT, tag="div"):
    return f"<{tag}><div><div>{name}</div><div>{more}</div></div><div>{text}</div></{tag}>"


def found(html):
    """Return the texts that belong to members of a page that keeps its sentences."""
    site = Sample([f"<main>{html}</main>"])
    kept = [text.endswith(".") for text in site.texts]
    unsure = [block for block, wanted in enumerate(kept) if not wanted]
    return [site.texts[block] for block in sorted(described(site.flat, site.blocks, kept, unsure))]


def test_the_names_and_types_of_described_members_are_found():
    assert found(member("limit") + member("expand", "array")) == ["limit", "integer", "expand", "array"]
    assert found(f"<h4>Parameters</h4>{member('limit')}{member('id')}") == ["limit", "integer", "id", "integer"]
    assert found(f"<ul>{member('limit', tag='li')}{member('id', tag='li')}</ul>") == [
        "limit",
        "integer",
        "id",
        "integer",
    ]


@pytest.mark.parametrize(
    "html",
    [
        member("limit"),  # alone
        f"<section>{member('limit')}</section><section>{member('id')}</section>",  # no siblings
        member("limit", text="<p>lost</p>") + member("id", text="<p>lost</p>"),
        member("n" * (LONGEST + 1), "t" * (LONGEST + 1)) + member("n" * (LONGEST + 1), "t" * (LONGEST + 1)),
        member("<a href=/a>limit</a>", "<a href=/b>b</a>") + member("<a href=/a>id</a>", "<a href=/b>b</a>"),
        member("<button>Try</button>", "<button>Copy</button>") * 2,
        member("limit", text="<p>one</p>" * 6 + TEXT) * 2,  # too large
    ],
)
def test_other_short_blocks_are_not(html):
    assert found(html) == []
