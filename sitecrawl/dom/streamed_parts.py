"""Puts the late parts of a streamed page into their places, as the page's own scripts do.

A server that streams a page sends a place, `<template id="B:1">` with what is shown meanwhile, and later, behind the
rest of the page, the part itself: `<div hidden id="S:1">`. A short script moves it to its place. That is how React, and
what is built on it, streams pages (react-dom, `ReactDOMServer.renderToPipeableStream`): of 1,279 pages of
as many sites (wcxb-dev) 31 are so, and of some of these the whole text is late.
"""

from itertools import islice
from typing import Final

from lxml.etree import _Comment, _Element

MOST: Final = 500
"""Maximum parts that are moved, elements that are taken off at one place, and elements around a place."""
_PLACES: Final = ("B:", "P:")
"""Beginnings of the ids of places: of one with something to show meanwhile, and of an empty one."""
_PART: Final = "S:"
"""Beginning of the ids of parts."""
_BEGINS: Final = ("$", "$?", "$!", "$~")
_ENDS: Final = "/$"
"""Comments around what is shown meanwhile; they may be nested."""


def read_streamed_parts(root: _Element) -> None:
    """Move the late parts of a page to their places, and take off what stands there meanwhile."""
    places = {name: one for one in root.iter("template") if (name := one.get("id") or "").startswith(_PLACES)}
    if not places:
        return
    late = [one for one in root.iter("div") if (one.get("id") or "").startswith(_PART)][:MOST]
    for part in (one for one in late if one.get("hidden") is not None):
        number = (part.get("id") or "").removeprefix(_PART)
        found = (places.get(f"{kind}{number}") for kind in _PLACES)
        place = next((one for one in found if one is not None and one.getparent() is not None), None)
        if place is None or (part.tail or "").strip():
            continue
        around = list(islice(place.iterancestors(), MOST + 1))
        if len(around) > MOST or part in around:
            continue
        _take_meanwhile(place)
        part.tail = None
        del part.attrib["hidden"], part.attrib["id"]
        place.addnext(part)


def _take_meanwhile(place: _Element) -> None:
    """Remove what is shown in a place until its part comes: all from there to the comment that ends it, if any does."""
    depth, between = 0, list[_Element]()
    for one in islice(place.itersiblings(), MOST):
        if isinstance(one, _Comment):
            mark = (one.text or "").strip()
            if mark == _ENDS and not depth:
                break
            depth += (mark in _BEGINS) - (mark == _ENDS)
        between.append(one)
    else:
        return
    place.tail = None
    parent = place.getparent()
    if parent is not None:
        for one in between:
            parent.remove(one)
