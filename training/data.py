"""Reads recorded sites and page sets for training: evidence and labels of blocks, for some numbers of known pages."""

import gzip
import json
import multiprocessing
import random
import re
from collections import Counter, defaultdict
from itertools import islice
from types import SimpleNamespace

import numpy as np
from words import slots_of

from sitecrawl.dom.blocks import block_text, text_blocks
from sitecrawl.dom.controls import controls
from sitecrawl.dom.flat import elements
from sitecrawl.dom.invisible import invisible
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.line_numbers import line_numbers
from sitecrawl.dom.page import Page
from sitecrawl.dom.permalinks import permalinks
from sitecrawl.dom.source_links import source_links
from sitecrawl.errors import PageError
from sitecrawl.evaluation.words import words
from sitecrawl.extractors.combined._block_classifier import Look
from sitecrawl.extractors.combined.block_features import BlockEvidence
from sitecrawl.extractors.combined.statistics import site_statistics
from sitecrawl.extractors.layout_decision import DECIDING
from sitecrawl.links.urls import split_url
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate

PAGES = 24
"""Content pages of a site that are used, and as many listing pages."""
KNOWN = (0, 5, 30, 10_000)
"""Pages of the site that the template knows; 0 for no template."""
NO_URL = "https://page.invalid/"
LISTS = frozenset(("listing", "collection"))
"""Types of pages of a page set that are listings; a `service` page may be either."""
NEAR = 3
"""Words around a short block that tell where in the gold text it is."""
SPACELESS = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")


def _columns():
    page = Page.from_html("<p>text</p>", NO_URL)
    evidence = BlockEvidence(page.flat, text_blocks(page.flat), None, False)
    evidence.build()
    return evidence.names


COLUMNS = _columns()
"""Names of the columns of the first look."""


def read_all(recorded, sets, jobs):
    """Yield the sites of some files, as `site_of` returns them: recorded sites first, then those of page sets."""
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        yield from pool.imap(_read_site, recorded)
        for path in sets:
            yield from pool.imap(_read_rows, _rows_of_set(path), chunksize=4)


def _read_site(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return _read_rows((path.name.split(".")[0], "sites", [json.loads(line) for line in lines]))


def _read_rows(task):
    site = site_of(*task)
    for context in site["contexts"].values():
        if context is not None:
            context.statistics.compiled.clear()  # it cannot be sent to another process, which makes its own
    return site


def _rows_of_set(path):
    """Return the sites of a page set: (name, name of the set, rows)."""
    by_site = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["gold_text"]:
                by_site[row.get("site") or row["id"]].append({"kind": "content", **row})
    return [(site, path.name.split(".")[0], rows) for site, rows in sorted(by_site.items())]


def site_of(name, collection, rows):
    """Return one site: {name, collection, pages, contexts, deciding}.

    `pages` are those that are learned from and scored. `contexts` has for each number of known pages what a crawl
    would know of the site: {template, statistics, learned}; `learned` are numbers of pages. `deciding` has the pages
    by which a crawl would decide.
    """
    read = []
    for row in rows:
        url = row.get("url") or ""
        try:
            page = Page.from_html(row["html"], url if split_url(url) else NO_URL)
            if len(text_blocks(page.flat)):
                read.append((row, page))
        except PageError:
            continue
    chance = random.Random(name)
    order = list(range(len(read)))
    chance.shuffle(order)
    used = [i for kind in ("content", "listing") for i in [i for i in order if read[i][0]["kind"] == kind][:PAGES]]
    contexts = {0: None}
    for known in KNOWN[1:] if len(read) > 1 else ():
        template = SiteTemplate()
        for i in order[:known]:
            template.learn(read[i][1].flat)
        shot = snapshot(template, 1)
        contexts[known] = SimpleNamespace(
            template=shot, statistics=site_statistics(shot), learned=frozenset(order[:known])
        )
    deciding = {known: [_view(*read[i], i) for i in order[: min(known, DECIDING)]] for known in contexts if known}
    pages = [_example(*read[i], i, contexts) for i in used]
    return {"name": name, "collection": collection, "pages": pages, "contexts": contexts, "deciding": deciding}


def _view(row, page, number):
    """Return what is read of a page, without its tree."""
    return SimpleNamespace(
        number=number,
        url=page.url,
        flat=page.flat,
        title=page.title,
        properties=page.properties,
        password_forms=page.password_forms,
        field_labels=page.field_labels,
        stated_texts=page.stated_texts,
        is_product=page.is_product,
        is_collection=page.is_collection,
        kind=row["kind"],
        blocks=text_blocks(page.flat),
    )


def _example(row, page, number, contexts):
    example, flat, blocks = _view(row, page, number), page.flat, text_blocks(page.flat)
    lines = [block_text(flat, blocks, block) for block in range(len(blocks))]
    told = page.url != NO_URL and row.get("page_type") != "service"
    example.type = row.get("page_type")
    example.listing = (row["kind"] != "content" or row.get("page_type") in LISTS) if told else None
    example.words = [Counter(words(line)) for line in _shown(page, blocks, lines)]
    example.gold = Counter(words(row["gold_text"] or ""))
    example.columns = {}
    if row["kind"] == "content":
        nodes = "gold_xpaths" in row
        example.labels = _labels_of_nodes(page, row, blocks) if nodes else labels_of_text(lines, row["gold_text"])
        example.weights = (np.array(blocks.chars) + 8.0) / (sum(blocks.chars) + 200.0)
        example.slots = slots_of(flat, blocks, lines)
        for known, context in contexts.items():
            site = context.statistics if context else None
            look = Look(flat, blocks, site, context is not None and number in context.learned)
            if bool(known) == bool(look.others):
                look.build()  # with the weights of words that ship; `write_columns` replaces these two columns
                example.columns[known] = np.array(look.lists(), dtype=np.float32).T
    return example


def _shown(page, blocks, lines):
    """Return the text of each block without what rows never show: hidden text, controls, permalinks and the like."""
    flat, hidden = page.flat, set()
    for row in [*invisible(page), *controls(flat), *permalinks(flat), *source_links(flat), *line_numbers(flat)]:
        hidden.update(range(row, flat.end[row]))
    if not hidden:
        return lines
    rows = [range(first, stop) for first, stop in zip(blocks.first, blocks.stop, strict=True)]
    return [
        line
        if hidden.isdisjoint(own)
        else "".join(flat.text[i] for i in own if flat.tag[i] == TEXT and i not in hidden)
        for line, own in zip(lines, rows, strict=True)
    ]


def _labels_of_nodes(page, row, blocks):
    flat, tree = page.flat, page.root.getroottree()
    sources = elements(page.root)
    rows = {next(sources): i for i, tag in enumerate(flat.tag) if tag != TEXT}
    gold = np.zeros(len(flat), bool)
    for paths, value in ((row["gold_xpaths"], True), (row["exclude_xpaths"] or [], False)):
        for path in paths:
            for element in tree.xpath(path):
                if element in rows:
                    gold[rows[element] : flat.end[rows[element]]] = value
    chars = [
        sum(flat.chars[k] for k in range(a, b) if flat.tag[k] == TEXT and gold[k])
        for a, b in zip(blocks.first, blocks.stop, strict=True)
    ]
    return np.array([c >= 0.5 * n for c, n in zip(chars, blocks.chars, strict=True)])


def labels_of_text(lines, gold):
    """Return which blocks are in the gold text: most of their word triples are; short ones if a neighbour is too."""
    spaceless = bool(SPACELESS.search(gold[:400]))
    verdicts = [_in_squeezed(line, _squeezed(gold)) for line in lines] if spaceless else _in_words(lines, gold)
    labels = []
    for i, verdict in enumerate(verdicts):
        if verdict is None:
            before = next((verdicts[j] for j in range(i - 1, max(i - 6, -1), -1) if _tells(verdicts, lines, j)), False)
            after = next((verdicts[j] for j in range(i + 1, min(i + 6, len(lines))) if _tells(verdicts, lines, j)), 0)
            labels.append(bool(before or after))
        else:
            labels.append(verdict)
    return np.array(labels, bool)


def _tells(verdicts, lines, i):
    return verdicts[i] is not None and len(lines[i]) > 20


def _in_words(lines, gold):
    known = re.findall(r"\w+", gold.lower())
    triples, joined = set(zip(known, known[1:], known[2:], strict=False)), f" {' '.join(known)} "
    owns = [re.findall(r"\w+", line.lower()) for line in lines]
    verdicts = []
    for i, own in enumerate(owns):
        if len(own) >= 5:
            found = list(zip(own, own[1:], own[2:], strict=False))
            verdicts.append(sum(triple in triples for triple in found) >= 0.6 * len(found))
        elif own and f" {' '.join(own)} " in joined:
            # told by where it stands in the gold text: after what is before it, or before what is after it
            before = list(islice((word for j in range(i - 1, -1, -1) for word in reversed(owns[j])), NEAR))[::-1]
            after = list(islice((word for j in range(i + 1, len(owns)) for word in owns[j]), NEAR))
            runs = [run for run in (before + own, own + after) if len(run) == NEAR + len(own)]
            verdicts.append(any(f" {' '.join(run)} " in joined for run in runs) or None)
        else:
            verdicts.append(False if own else None)
    return verdicts


def _squeezed(text):
    return re.sub(r"\s+", "", text.lower())


def _in_squeezed(line, gold):
    own = _squeezed(line)
    if len(own) < 8:
        return None if own in gold else False
    parts = [own[i : i + 5] for i in range(len(own) - 4)]
    return sum(part in gold for part in parts) >= 0.7 * len(parts)
