"""Makes pages of a made-up site, the same in each run: a menu and a footer around an article with lists."""

import random
from itertools import accumulate

WORDS = (
    *("harbour", "ledger", "winter", "cobalt", "tide", "market", "lantern", "orchard", "signal", "archive", "copper"),
    *("meadow", "bridge", "quartz", "window", "garden", "river", "station", "paper", "mirror", "castle", "thunder"),
    *("velvet", "engine", "forest", "island"),
)

VOCABULARY = 12_000
"""Number of words of the language of `article`; the n-th has a frequency in proportion to 1 / n (Zipf)."""
SYLLABLES = ("ba", "ter", "lo", "min", "sha", "ren", "ku", "vel", "dis", "mor", "an", "ic", "ous", "ti", "gra", "pel")


def vocabulary() -> tuple[list[str], list[float]]:
    """Return the words of a made-up language, and their cumulative weights."""
    chance, words = random.Random("words"), dict.fromkeys(("the", "of", "and", "to", "in", "a", "is", "that", "for"))
    while len(words) < VOCABULARY:
        words["".join(chance.choices(SYLLABLES, k=chance.randint(1, 4)))] = None
    return list(words), list(accumulate(1 / n for n in range(1, VOCABULARY + 1)))


def article(number: int, count: int, language: tuple[list[str], list[float]]) -> str:
    """Return page `number` of a site of `count` articles: about 30 KB with as much text as real ones, and 99 links."""
    chance, (known, weights) = random.Random(f"article {number}"), language

    def words(least: int, most: int) -> str:
        return " ".join(chance.choices(known, cum_weights=weights, k=chance.randint(least, most)))

    def link(target: int, text: str) -> str:
        return f'<a href="/pages/{target % count}.html">{text}</a>'

    menu = "".join(f"<li class='item item-{i}'>{link(i * 7, known[i + 40])}</li>" for i in range(36))
    recent = "".join(
        f"<li><h4>{link(number + i + 1, words(4, 9))}</h4><p class=teaser>{words(10, 20)}</p></li>" for i in range(30)
    )
    paragraphs = []
    for i in range(22):
        text = f"{words(30, 70)}. {words(20, 60)}, {link(chance.randrange(count), words(1, 3))} {words(15, 40)}."
        paragraphs.append(f"<h2>{words(2, 5)}</h2><p>{text}</p>" if i % 5 == 4 else f"<p>{text}</p>")
    foot = "".join(f"<li>{link(i * 11, known[i + 90])}</li>" for i in range(11))
    title = words(4, 9).capitalize()
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title} - The Benchmark</title>'
        f'<meta name="description" content="{words(12, 25)}"><meta property="og:type" content="article">'
        f'<meta property="article:published_time" content="2026-0{1 + number % 9}-1{number % 10}"></head>'
        f'<body class="post-{number}"><header><nav class="menu"><ul>{menu}</ul></nav></header><main><article>'
        f"<h1>{title}</h1><p class='byline'>By {words(2, 2).title()}</p>{''.join(paragraphs)}</article></main>"
        f'<aside class="sidebar"><h3>Recent</h3><ul>{recent}</ul></aside><footer class="foot"><ul>{foot}</ul></footer>'
        "</body></html>"
    )


def page(nodes: int, number: int) -> str:
    """Return page `number` of a site whose pages have about `nodes` nodes (elements and texts)."""
    chance = random.Random(f"{nodes} {number}")

    def words(least: int, most: int) -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(least, most)))

    menu = "".join(
        f'<li class="menu-item item-{i}"><a href="/section-{i % 7}/page-{i}.html">{WORDS[i % len(WORDS)]} {i}</a></li>'
        for i in range(min(max(nodes // 30, 4), 60))
    )
    head = (
        f'<!DOCTYPE html><html lang="en"><head><title>Page {number}</title><meta name="description" content="x"></head>'
        f'<body class="page-{number}"><header><nav class="menu"><ul>{menu}</ul></nav></header><main id="m"><h1>'
        f"{words(3, 8)}</h1>"
    )
    foot = '<footer class="foot"><p>All rights reserved <a href="/imprint.html">Imprint</a></p></footer></body></html>'
    parts, size = [], 6 * len(menu.split("<li")) + 12
    while size < nodes:
        kind, ident = chance.randrange(8), chance.randrange(500)
        if kind == 0:
            rows = chance.randint(2, 8)
            items = "".join(
                f'<li class="item"><a class="link" href="/a/{chance.randrange(500)}.html" title="{words(1, 3)}">'
                f'{words(1, 3)}</a> <span class="date" data-day="{ident}">{words(1, 2)}</span></li>\n'
                for _ in range(rows)
            )
            parts.append(f'<ul class="list list-{ident % 9}">{items}</ul>\n<!-- list -->\n')
            size += 1 + 5 * rows
        elif kind <= 2:
            parts.append(
                f'<div id="box-{ident}" class="box box-{ident % 9} wide"><h2 class="head">{words(2, 6)}</h2>'
                f'<img src="/i/{ident}.jpg" alt="{words(1, 3)}" width="{ident}" height="300">'
                f'<p class="intro" style="color:red">{words(4, 9)}</p></div>\n'
            )
            size += 6
        elif kind == 3:
            cells = "".join(f'<td class="c{i}" align="left">{words(1, 2)}</td>' for i in range(3))
            parts.append(f'<table class="t" border="0"><tr>{cells}</tr></table><script>var a = {ident};</script>\n')
            size += 8
        else:
            parts.append(
                f'<p class="par">{words(3, 12)} <em>{words(1, 3)}</em> {words(2, 5)}, '
                f'<a href="/b/{ident}.html" class="ref">{words(1, 2)}</a>.<br></p>\n'
            )
            size += 9
    return head + "".join(parts) + "</main>" + foot
