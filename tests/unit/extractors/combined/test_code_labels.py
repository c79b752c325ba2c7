"""The name of the language beside a piece of code is not content."""

import pytest

from sitecrawl.extractors.combined.code_labels import without_code_labels

from .sites import Sample

CODE = "<pre class=shiki><code>ls -l</code></pre>"


def dropped(html):
    """Return the texts that are dropped from a page of which all texts were kept."""
    return Sample([f"<main><p>Bash is a shell.</p>{html}</main>"]).dropped(without_code_labels)


@pytest.mark.parametrize(
    "html",
    [
        f"<div class='language-bash line-numbers'><span class=lang>bash</span>{CODE}</div>",
        f"<div class='lang-Bash'><p>BASH</p>{CODE}</div>",
        f"<div class=code><div class=highlight-source-bash>{CODE}<span>bash</span></div></div>",
        f"<div class=header>bash</div><div class=language-bash>{CODE}</div>",
        "<div><span>bash</span><pre class='brush:bash'>ls -l</pre></div>",
    ],
)
def test_the_name_of_the_language_of_code_is_dropped(html):
    assert [text.lower() for text in dropped(html)] == ["bash"]


@pytest.mark.parametrize("prompt", ["In [1]:", "Out[12]:", "In [ ]:", "In [*]:"])
def test_the_prompt_of_a_cell_is_dropped(prompt):
    assert dropped(f"<div>{prompt}</div>{CODE}<p>In [1] we saw it.<p>Out now") == [prompt]


@pytest.mark.parametrize(
    "html",
    [
        f"<div class=language-sh><span>bash</span>{CODE}</div>",
        f"<div class=language-bash><span>bash is here</span>{CODE}</div>",
        f"<p>bash</p><div class=language-bash><div><div><div>{CODE}</div></div></div></div>",  # far from it
        f"<div class=language-bash><a href=/bash>bash</a>{CODE}</div>",
        "<div class=language-bash><span>bash</span><p>ls -l</p></div>",
        "<pre class=language-bash>bash</pre>",
    ],
)
def test_other_texts_beside_code_stay(html):
    assert dropped(html) == []
