"""Pages of a made-up site, of any size, the same in each run: a menu and a footer around an article with its lists."""

import random

WORDS = (
    *("harbour", "ledger", "winter", "cobalt", "tide", "market", "lantern", "orchard", "signal", "archive", "copper"),
    *("meadow", "bridge", "quartz", "window", "garden", "river", "station", "paper", "mirror", "castle", "thunder"),
    *("velvet", "engine", "forest", "island"),
)


def page(nodes: int, number: int) -> str:
    """Return page `number` of a site whose pages have about so many nodes (elements and texts)."""
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
        kind = chance.randrange(8)
        if kind == 0:
            rows = chance.randint(2, 8)
            items = "".join(
                f'<li>{words(2, 9)} <a href="/a/{chance.randrange(500)}.html">{words(1, 3)}</a></li>\n'
                for _ in range(rows)
            )
            parts.append(f'<ul class="list">{items}</ul>\n')
            size += 1 + 4 * rows
        elif kind == 1:
            parts.append(
                f'<div class="box box-{chance.randrange(9)}"><h2>{words(2, 6)}</h2><p>{words(8, 30)}</p></div>\n'
            )
            size += 5
        elif kind == 2:
            parts.append(f'<table class="t"><tr><td>{words(1, 3)}</td><td>{words(1, 3)}</td></tr></table>\n')
            size += 6
        else:
            parts.append(
                f'<p class="par">{words(20, 60)} <em>{words(1, 3)}</em> {words(5, 30)}, <b>{words(1, 2)}</b>.</p>\n'
            )
            size += 8
    return head + "".join(parts) + "</main>" + foot
