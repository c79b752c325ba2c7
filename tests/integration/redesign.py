"""A generated site whose look can be switched: the same texts in other tags, classes and containers."""

from tests.integration.server import WORDS

MENU = ("front", "about", "contact", "archive", "press", "imprint")


def paragraphs(number):
    """The texts of one report."""
    texts = []
    for i in range(5 + number % 4):
        chosen = [WORDS[(number * 7 + i * 3 + k * (number + 2)) % len(WORDS)] for k in range(12)]
        texts.append(f"Report {number} tells in part {i} of the {' '.join(chosen)}, as it was seen on that very day.")
    return texts


def links(number, articles):
    return [(number * 3 + step) % articles for step in (1, 2, 5)]


def old_page(title, heading, texts, related):
    menu = "".join(f'<li class="item"><a href="/{name}.html">{name.title()}</a></li>' for name in MENU)
    body = "".join(f"<p>{text}</p>" for text in texts)
    also = "".join(f'<li><a href="/reports/{i}.html">Report {i}</a></li>' for i in related)
    return (
        f"<html lang=en><head><title>{title} - Harbour News</title></head><body>"
        '<div class="top"><div class="logo"><a href="/front.html">Harbour News</a></div>'
        f'<div class="menu"><ul>{menu}</ul></div></div>'
        f'<div class="page"><div class="story"><h1>{heading}</h1><div class="text">{body}</div></div>'
        f'<div class="side"><h3>Read also</h3><ul>{also}</ul></div></div>'
        '<div class="footer"><p>Harbour News is printed in the old town. All rights reserved.</p></div></body></html>'
    )


def new_page(title, heading, texts, related):
    menu = "".join(f'<a class="tab" href="/{name}.html">{name.title()}</a>' for name in MENU)
    body = "".join(f'<section class="block"><p class="line">{text}</p></section>' for text in texts)
    also = "".join(f'<div class="card"><a href="/reports/{i}.html">Report {i}</a></div>' for i in related)
    return (
        f"<html lang=en><head><title>{title} - Harbour News</title></head><body><main class=shell>"
        f'<header class="bar"><a href="/front.html">Harbour News</a><nav class="tabs">{menu}</nav></header>'
        f'<section class="grid"><article class="leaf"><h2 class="head">{heading}</h2>{body}</article>'
        f'<aside class="rail"><h4 class="label">Read also</h4>{also}</aside></section></main>'
        '<footer class="base"><span>Harbour News is printed in the old town. All rights reserved.</span></footer>'
        "</body></html>"
    )


LOOKS = {"old": old_page, "new": new_page}


ARTICLES = 50


def report(number, look="old", articles=ARTICLES, texts=None):
    """One report page in one of the looks."""
    chosen = paragraphs(number) if texts is None else texts
    return LOOKS[look](f"Report {number}", f"Report {number}", chosen, links(number, articles))


def site(articles=ARTICLES, look="old"):
    """All pages: a front page that links the reports, plain pages, and the reports."""
    pages = {"/robots.txt": (200, {"Content-Type": "text/plain"}, "User-agent: *\nAllow: /\n")}
    for name in MENU:
        texts = [f"The {name} page of our small paper, which writes of the harbour and its people since 1907."]
        related = range(articles) if name == "front" else links(len(name), articles)
        pages[f"/{name}.html"] = LOOKS[look](name.title(), name.title(), texts, related)
    for number in range(articles):
        pages[f"/reports/{number}.html"] = report(number, look, articles)
    return pages
