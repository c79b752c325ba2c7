"""`flatten`: the columns of a page's tree, by the compiled twin or by the Python reference in `dom.flat`.

The twin accesses the nodes of libxml2 with the struct layouts of the lxml that it was built with. It is used only with
the same major and minor versions of both, and only if its columns equal those of the reference for the pages in
`CHECKED`.
"""

from collections.abc import Callable
from dataclasses import fields
from typing import Final, TypeAlias

from lxml import etree
from lxml.etree import _Element

from sitecrawl.dom import flat
from sitecrawl.dom.flat import FlatDom
from sitecrawl.twins import twin

Flatten: TypeAlias = Callable[[_Element], FlatDom]

_NAMES: Final = """<body id=top class=page-7><ul class="menu open"><li class="item-1 odd-x">Home<li class=item-22>
 News <b>now</b> </ul><div class="b a a\xa0c active" id=" x ">One <a href=/z rel=nofollow>two<b> three</b></a>
 <a name=n>f&ouml;ur</a><map><area href="?q=1&amp;r=2" alt=x></map></div><div class="  ">\u3000five\u2003s\xefx</div>"""
_MARKS: Final = """<!-- a --><p>one<!-- b -->two<?php three ?>four<![CDATA[five]]>&#0;&#xD800;&#x1F600;&nbsp;&lt;</p>
<script>if (a < b) {}</script>tail<style>p{}</style><svg><g><text>no</text></g></svg><template><p>no</template>after
<pre>\n  code <b> x </b>\n</pre> <i> </i> <textarea> a\n</textarea>\n<p hidden>h<p hidden=until-found>u
<p aria-hidden=true>a<p aria-hidden=false>b<p style="DISPLAY: none">c<p style="color:red">d<a><b><a href>x</a></b>"""
_MANY: Final = f'<p class="{" ".join(f"name{chr(97 + n)}" for n in range(25))}">x<p class="{"y" * 300}" id=1>x'
_DEEP: Final = "<div class=d>t<b></b> " * 400

CHECKED: Final = (_NAMES, _MARKS, _MANY, _DEEP)
"""Small pages with the hard cases: names, white space, comments, entities, hidden and skipped elements, depth."""


def problem(flatten: Flatten) -> str | None:
    """Return why a compiled `flatten` cannot be used; None if it can."""
    from sitecrawl.dom import _flat  # noqa: PLC0415

    here = etree.LXML_VERSION[:2], etree.LIBXML_VERSION[:2]
    if here != _flat.BUILT_FOR:
        return f"it was built for lxml and libxml2 {_flat.BUILT_FOR}, here are {here}; reinstall sitecrawl"
    for html in CHECKED:
        if different := differences(html, flatten):
            return f"it disagrees with the reference on {', '.join(different)}; please report this"
    return None


def differences(html: str, flatten: Flatten) -> list[str]:
    """Return the names of the columns in which `flatten` disagrees with the reference."""
    root = etree.fromstring(html.encode(), etree.HTMLParser(encoding="utf8", huge_tree=True))
    expected, found = flat.flatten(root), flatten(root)
    return [field.name for field in fields(FlatDom) if getattr(expected, field.name) != getattr(found, field.name)]


flatten = twin("sitecrawl.dom._flat", problem)(flat.flatten)
"""Return the columns of the tree below a root element (row 0). The tree is not changed."""
