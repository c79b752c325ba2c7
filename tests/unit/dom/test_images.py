"""Tests of where an image really is."""

import pytest

from sitecrawl.dom.images import image_address, largest

from .trees import page


@pytest.mark.parametrize(
    ("html", "address"),
    [
        ("<img src=a.png>", "a.png"),
        ("<img src=' a.png '>", "a.png"),
        ("<img src='data:image/gif;base64,R0' data-src=/r.jpg>", "/r.jpg"),
        ("<img src=/blank.gif data-original=r.jpg>", "r.jpg"),
        ("<img src=a.jpg data-lazy-src=r.jpg>", "r.jpg"),
        ("<img data-src='{\"a\": 1}' src=a.jpg>", "a.jpg"),
        ("<img data-src=true src=a.jpg>", "a.jpg"),
        ("<img data-srcset='a.jpg 320w, b.jpg 640w'>", "b.jpg"),
        ("<img src=/img/placeholder.svg srcset='a.jpg 1x, b.jpg 2x'>", "b.jpg"),
        ("<img src=a.jpg srcset='b.jpg 2x'>", "a.jpg"),
        ("<picture><source srcset='a.webp 1x'><source srcset='a.jpg 1x, b.jpg 2x'><img></picture>", "b.jpg"),
        ("<img src='data:,'><noscript><img src=r.jpg></noscript>", "r.jpg"),
        ("<img src=/1x1.gif>", "/1x1.gif"),
        ("<img src='data:image/png;base64,R0'>", None),
        ("<img src='#'>", None),
        ("<img>", None),
    ],
)
def test_the_address_of_an_image_is_the_real_one(html, address):
    image = next(page(f"<body><p>{html}").root.iter("img"))
    assert image_address(image) == address


@pytest.mark.parametrize(
    ("candidates", "address"),
    [
        ("a.jpg", "a.jpg"),
        ("a.jpg 1x,b.jpg 1.5x", "b.jpg"),
        ("/i/w_1,h_2/a.jpg 100w, /i/w_3,h_4/b.jpg 50w", "/i/w_1,h_2/a.jpg"),
        ("data:image/gif;base64,R0 2x, a.jpg 1x", "a.jpg"),
        ("a.jpg 1.1.1x", None),
        ("", None),
        (None, None),
    ],
)
def test_the_largest_candidate_is_chosen(candidates, address):
    assert largest(candidates) == address
