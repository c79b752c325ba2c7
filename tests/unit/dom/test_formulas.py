"""Formulas are read once, as TeX where the page has it."""

import pytest

from sitecrawl.dom.markdown import markdown
from sitecrawl.dom.page import Page

MATHML = "<math><semantics><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow>{}</semantics></math>"
NOTED = MATHML.format('<annotation encoding="application/x-tex">{}</annotation>')
HTML = '<span class="katex-html" aria-hidden="true"><span>x</span><span>2</span></span>'


def text(formula):
    return Page.from_html(f"<body><p>Then {formula} is long.</p></body>", "https://a.example/b").text((0,))


@pytest.mark.parametrize(
    "formula",
    [
        NOTED.format("x^2"),
        f"<span class=katex><span class=katex-mathml>{NOTED.format('x^2')}</span>{HTML}</span>",
        f"<math alttext='x^2'>{MATHML.format('')[6:]}",
        '<span class=mwe><span style="display: none;">{}</span><img src=a.svg alt="{{\\displaystyle x^2}}"></span>'.format(
            NOTED.format("{\\displaystyle {\\displaystyle x^2}}")
        ),
    ],
)
def test_a_formula_is_its_source(formula):
    assert text(formula) == "Then x^2 is long."


def test_the_picture_of_a_formula_is_not_read_too():
    hidden = f'<span style="display:none">{NOTED.format("x^2")}</span>'
    one = Page.from_html(f'<body><p>Then <b>{hidden}<img alt="x^2" src=a.svg></b>.</p></body>', "https://a.example/b")
    assert markdown(one.html((0,))).strip() == "Then **x^2**."


@pytest.mark.parametrize(
    "formula",
    [
        MATHML.format(""),
        MATHML.format('<annotation encoding="text/plain"></annotation>'),
        f"<mjx-container>{'<mjx-math aria-hidden=true>x2</mjx-math>'}<i>{MATHML.format('')}</i>"
        "<b aria-hidden=true>$x^2$</b></mjx-container>",
    ],
)
def test_a_formula_without_a_source_is_read_once_too(formula):
    assert text(formula) == "Then x2 is long."


def test_what_stands_beside_a_formula_in_a_text_stays():
    sign = "<b aria-hidden=true>!</b>"
    assert text(f"{NOTED.format('x^2')} {sign}") == "Then x^2 ! is long."
    assert text(f"<u><i>{NOTED.format('x^2')}</i>{sign}<s>y</s></u>") == "Then x^2!y is long."
    assert text(f"<u>{NOTED.format('x^2')}<img src=a.png alt=y></u>") == "Then x^2 is long."
