"""Reads override files strictly, so that a typing error is reported and not silently ignored."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from reprlib import Repr
from typing import Any, Final, TypeVar

import yaml

from sitecrawl.errors import ConfigError
from sitecrawl.overrides.rules import Comments, Override, Rule, SiteKind, url_pattern
from sitecrawl.overrides.selectors import compile_selector

MAX_BYTES: Final = 2**20
KEYS: Final = ("content", "include", "exclude", "title", "published", "kind", "comments")
"""The keys of a rule."""
_SHORT: Final = Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother = 2, 80, 80
_Chosen = TypeVar("_Chosen", bound=StrEnum)
_Made = TypeVar("_Made")


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader without repeated keys and without aliases of anything but texts.

    Aliases of lists of aliases, or merged mappings, turn a few lines into gigabytes.
    """

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Return the next node. Raises ComposerError for an alias of anything other than texts."""
        alias = self.peek_event() if self.check_event(yaml.AliasEvent) else None  # type: ignore[no-untyped-call]
        node = super().compose_node(parent, index)
        if alias is not None and not _is_plain(node):
            raise yaml.composer.ComposerError(
                None,
                None,
                f"the alias *{alias.anchor} is not a text; write out its value",
                alias.start_mark,
            )
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return a mapping. Raises ConstructorError for a repeated key."""
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key.value, str) and key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value!r} is repeated; join its values", key.start_mark
                )
            if isinstance(key.value, str):
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def _is_plain(node: yaml.Node | None) -> bool:
    """Return whether a node is a text or a list of texts."""
    nodes = node.value if isinstance(node, yaml.SequenceNode) else [node]
    return all(isinstance(one, yaml.ScalarNode) for one in nodes)


def _shown(value: object) -> str:
    """Return a value as shown in messages, truncated if it is long."""
    return _SHORT.repr(value)


def read_override(path: Path) -> Override:
    """Return the override in a file. Raises ConfigError naming the file, the key and the remedy."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ConfigError(f"{path}: over {MAX_BYTES} bytes; an override is a short list of selectors")
        text = path.read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}; correct the path or its permissions") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text; save it as UTF-8") from error
    return parse_override(text, str(path))


def parse_override(text: str, source: str) -> Override:
    """Return the override in the text of a file; `source` is its name. Raises ConfigError as `read_override` does."""
    try:
        data = yaml.load(text, _Loader)  # noqa: S506  (a safe loader)
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise ConfigError(f"{source}: {line}{error.problem or error.context}; correct the YAML") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        problem = " ".join(str(error).split()) or type(error).__name__
        raise ConfigError(f"{source}: not YAML: {problem}; correct it") from error
    if not isinstance(data, dict) or not data:
        what = "holds no keys" if data else "is empty"
        raise ConfigError(f"{source}: {what}; write for instance: content: main")
    _known(data, (*KEYS, "layouts"), source, "")
    rest = _rule(data, Rule(source), source, "")
    layouts = data.get("layouts", [])
    if not isinstance(layouts, list) or not all(isinstance(one, dict) for one in layouts):
        raise ConfigError(
            f"{source}: layouts: is not a list of rules; write below it: - url: /forum/*, and the keys that apply there"
        )
    found = tuple(_layout(one, number, rest, source) for number, one in enumerate(layouts, 1))
    names = [one.name for one in found]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{source}: layouts: two have the name {_shown(name)}; rename one")
    return Override(source, found, rest, text)


def _layout(data: Mapping[str, Any], number: int, rest: Rule, source: str) -> Rule:
    """Return the rule of a layout. Missing keys are inherited from `rest`; its inclusions and exclusions are added."""
    where = f"layouts[{number}]."
    _known(data, ("url", "name", *KEYS), source, where)
    urls = _list(data, "url", source, where, url_pattern)
    if not urls:
        raise ConfigError(f"{source}: {where}url: is missing; name the pages of the layout, such as /forum/*")
    name = data.get("name", str(number))
    if not isinstance(name, str) or not name or not name.replace("-", "").replace("_", "").isalnum():
        raise ConfigError(f"{source}: {where}name: {_shown(name)} is not a name; use letters, digits and hyphens")
    rule = _rule(data, replace(rest, name=name, urls=urls, include=(), exclude=()), source, where)
    return replace(rule, include=(*rest.include, *rule.include), exclude=(*rest.exclude, *rule.exclude))


def _rule(data: Mapping[str, Any], default: Rule, source: str, where: str) -> Rule:
    return replace(
        default,
        content=_list(data, "content", source, where, compile_selector) or default.content,
        include=_list(data, "include", source, where, compile_selector) or default.include,
        exclude=_list(data, "exclude", source, where, compile_selector) or default.exclude,
        title=_list(data, "title", source, where, partial(compile_selector, elements=False)) or default.title,
        published=_list(data, "published", source, where, partial(compile_selector, elements=False))
        or default.published,
        kind=_choice(data, "kind", SiteKind, source, where) or default.kind,
        comments=_choice(data, "comments", Comments, source, where) or default.comments,
    )


def _known(data: Mapping[Any, Any], keys: tuple[str, ...], source: str, where: str) -> None:
    for key in data:
        if key not in keys:
            raise ConfigError(f"{source}: {where}{key}: unknown key; known: {', '.join(keys)}")


def _list(
    data: Mapping[str, Any], key: str, source: str, where: str, make: Callable[[str], _Made]
) -> tuple[_Made, ...]:
    """Return the results of `make` for the texts of a key, which is one text or a list of texts."""
    given = data.get(key, [])
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or (key in data and not texts):
        raise ConfigError(
            f"{source}: {where}{key}: {_shown(given)} is neither a text nor a list of texts; write one, or quote it"
        )
    made = []
    for number, text in enumerate(texts, 1):
        place = f"{source}: {where}{key}" + (f"[{number}]" if len(texts) > 1 else "")
        if not isinstance(text, str):
            raise ConfigError(f"{place}: {_shown(text)} is not a text; write it in quotes")
        try:
            made.append(make(text))
        except ValueError as error:
            raise ConfigError(f"{place}: {error}") from error
    return tuple(made)


def _choice(data: Mapping[str, Any], key: str, choices: type[_Chosen], source: str, where: str) -> _Chosen | None:
    if key not in data:
        return None
    try:
        return choices(data[key])
    except ValueError as error:
        raise ConfigError(
            f"{source}: {where}{key}: {_shown(data[key])} cannot be used; one of {', '.join(choices)}"
        ) from error
