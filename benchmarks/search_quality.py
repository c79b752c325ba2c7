"""Known-item and menu queries on crawled sites, in main content and in whole pages.

python -m benchmarks.search_quality MAIN_DATABASE WHOLE_DATABASE HOST=SITE.jsonl.gz ... [--queries 60] [--menus 30]

Both databases hold crawls of the recorded sites; WHOLE_DATABASE one with SITECRAWL_EXTRACTOR=everything. A known-item
query is a piece of a sentence of the gold text that is on one page only, its measure the mean reciprocal rank of that
page among the first ten. A menu query is the beginning of a line that is on four of five pages of a site and in hardly
any gold text, its measure the share of the site's pages that it finds.
"""

import argparse
import gzip
import json
import random
import re
import statistics
from collections import Counter
from urllib.parse import unquote, urlsplit

from sitecrawl.dom.page import Page
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.search.repository import SearchFilter, SearchIndex
from sitecrawl.storage.search.terms import RUN, parse_query, segment
from sitecrawl.storage.sites import SiteRepository

WORDS = 7
CHARACTERS = 12
SENTENCE = re.compile(r"[^.!?。！？;；\n|]+")


def path_of(url):
    parts = urlsplit(url)
    path = re.sub(r"/(index\.(html?|php))?$", "/", unquote(parts.path or "/"))
    return path + (f"?{parts.query}" if parts.query else "")


def pieces(text, rng):
    """Return pieces of sentences, in random order."""
    found = []
    for match in SENTENCE.finditer(text):
        sentence = " ".join(match[0].split())
        unspaced = len(RUN.findall(sentence)) and sum(map(len, RUN.findall(sentence))) > len(sentence) / 2
        if unspaced and len(sentence) >= CHARACTERS and " " not in sentence:
            start = rng.randrange(len(sentence) - CHARACTERS + 1)
            found.append(sentence[start : start + CHARACTERS])
            continue
        words = sentence.split()
        if len(words) >= WORDS:
            start = rng.randrange(len(words) - WORDS + 1)
            found.append(" ".join(words[start : start + WORDS]))
    rng.shuffle(found)
    return found


def known_items(rows, count, rng):
    """Return (query, path) of pieces that are in one gold text only."""
    gold = {path_of(row["url"]): " ".join(row["gold_text"].split()) for row in rows if row["kind"] == "content"}
    every = [f" {segment(' '.join((row['gold_text'] or '').split()))} " for row in rows]
    queries, paths = [], sorted(path for path, text in gold.items() if len(text) > 200)
    rng.shuffle(paths)
    for path in paths:
        for piece in pieces(gold[path], rng):
            terms = segment(piece).split()
            terms = terms[:-1] if terms and len(terms[-1]) == 1 and RUN.fullmatch(terms[-1]) else terms
            if len(terms) > 3 and sum(f" {' '.join(terms)} " in text for text in every) == 1:
                queries.append((piece, path))
                break
        if len(queries) == count:
            break
    return queries


def in_part(query, words):
    """Return the beginning of a query with a word that is nowhere."""
    kept = query.split()[:words]
    return " ".join([*kept[:2], "qzxv", *kept[2:]])


def menu_lines(rows, count, rng):
    """Return beginnings of lines that most pages have, and hardly any gold text."""
    lines, gold = Counter(), Counter()
    for row in rows:
        page = Page.from_html(row["html"].encode(), row["url"])
        lines.update({line.removeprefix("- ").strip() for line in page.text((0,)).split("\n")})
        gold.update(set(segment(row["gold_text"] or "").split()))
    common = []
    for line, pages in lines.items():
        terms = segment(line).split()
        if terms and pages >= 0.8 * len(rows) and max(gold[term] for term in terms[:3]) <= 0.2 * len(rows):
            common.append(line if RUN.search(line) else " ".join(line.split()[:3]))
    common = sorted(set(common))
    rng.shuffle(common)
    return common[:count]


def rank(engine, query, host, path, kind):
    with session_scope(engine, write=False) as session:
        answer = SearchIndex(session).find(parse_query(query), SearchFilter(kind=kind), 10)
    for position, hit in enumerate(answer.hits, 1):
        if hit.site == host and path_of(hit.url) == path:
            return 1 / position
    return 0.0


def share(engine, query, host, pages):
    with session_scope(engine, write=False) as session:
        site = SiteRepository(session).get(host)
        answer = SearchIndex(session).find(parse_query(query), SearchFilter(site_id=site.id), 10_000)
    return len(answer.hits) / pages


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("main")
    parser.add_argument("whole")
    parser.add_argument("sites", nargs="+")
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--menus", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", default=None)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--part", type=int, default=0, metavar="N", help="cut queries to N words, and add one in vain")
    options = parser.parse_args()
    engines = {name: open_database(getattr(options, name)) for name in ("main", "whole")}
    ranks, shares = {name: [] for name in engines}, {name: [] for name in engines}
    print("| site | queries | MRR@10 main | MRR@10 whole | menu queries | pages found, main | pages found, whole |")
    print("|---|---|---|---|---|---|---|")
    for given in options.sites:
        host, _, file = given.partition("=")
        rng = random.Random(options.seed)
        with gzip.open(file, "rt", encoding="utf-8") as stream:
            rows = [json.loads(line) for line in stream]
        known = known_items(rows, options.queries // len(options.sites), rng)
        if options.part:
            known = [(in_part(query, options.part), path) for query, path in known if len(query.split()) > 3]
        menus = menu_lines(rows, options.menus // len(options.sites), rng)
        here = {
            name: [rank(engine, query, host, path, options.kind) for query, path in known]
            for name, engine in engines.items()
        }
        spread = {name: [share(engine, query, host, len(rows)) for query in menus] for name, engine in engines.items()}
        for name in engines:
            ranks[name] += here[name]
            shares[name] += spread[name]
        if options.show:
            for number, (query, path) in enumerate(known):
                if here["main"][number] < 1:
                    print(f"  {here['main'][number]:.2f} {here['whole'][number]:.2f} {query!r} {path}")
            for number, query in enumerate(menus):
                print(f"  {spread['main'][number]:.0%} {spread['whole'][number]:.0%} {query!r}")
        name = file.rpartition("/")[2].removesuffix(".jsonl.gz")
        print(_row(name, here, spread))
    print(_row("all", ranks, shares))


def _row(name, ranks, shares):
    mean = [f"{statistics.mean(ranks[one]):.3f}" if ranks[one] else "-" for one in ("main", "whole")]
    part = [f"{statistics.mean(shares[one]):.0%}" if shares[one] else "-" for one in ("main", "whole")]
    return f"| {name} | {len(ranks['main'])} | {' | '.join(mean)} | {len(shares['main'])} | {' | '.join(part)} |"


if __name__ == "__main__":
    main()
