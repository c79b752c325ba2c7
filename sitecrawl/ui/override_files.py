"""Changes override files: adds and removes single selectors, and saves a file unless it has changed meanwhile."""

import os
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Final

import yaml

from sitecrawl.config import Config
from sitecrawl.errors import ConfigError
from sitecrawl.links.urls import split_url, without_www
from sitecrawl.overrides.folders import host_of
from sitecrawl.overrides.reading import parse_override
from sitecrawl.overrides.rules import Override, Rule

KEYS: Final = ("content", "include", "exclude", "title", "published")
"""Keys whose selectors are added and removed one by one."""
ADDED: Final = frozenset(("include", "exclude"))
"""Keys of which all selectors apply; of the other keys only the first selector that selects something applies."""
_SAVING: Final = Lock()


class ChangedMeanwhileError(ConfigError):
    """An override file has changed since the form was shown."""


@dataclass(frozen=True, slots=True)
class OverrideFile:
    """The current override file of a host."""

    path: Path
    text: str
    """Its content; for a file that does not exist, the text that it would inherit, or ""."""
    inherited: Path | None = None
    """The file of a parent domain, with whose text a new file begins; None if the file exists or none applies."""

    @property
    def digest(self) -> str:
        """Fingerprint of the current content of the file."""
        return sha256(b"" if self.inherited is not None else self.text.encode()).hexdigest()[:24]

    @property
    def override(self) -> Override | None:
        """The rules of the file; None if it does not exist. Raises ConfigError."""
        return parse_override(self.text, str(self.path)) if self.text.strip() else None

    def rule(self, url: str) -> Rule | None:
        """Return the rule for a page. Raises ConfigError."""
        override = self.override
        return override.rule(url) if override is not None else None


@dataclass(frozen=True, slots=True)
class Correction:
    """One selector in an override file."""

    key: str
    selector: str
    layout: str = ""
    """Name of the layout; "" for the rule at the top."""


def override_file(config: Config, url: str, rule: Rule | None) -> OverrideFile:
    """Return the file to which a correction of a page is written: that of its host, which may be new.

    The file of a parent domain applies to other sites too, so it is not changed; the new file begins with its rules.

    Raises ConfigError if SITECRAWL_OVERRIDES names no folder, or the file cannot be read.
    """
    parts = split_url(url)
    host = without_www(parts.host) if parts is not None else ""
    above = _read(Path(rule.source)) if rule is not None else None
    if above is not None and host_of(above.path) == host:
        return above
    if not config.overrides:
        raise ConfigError(
            "SITECRAWL_OVERRIDES names no folder for corrections; stop this server, make a folder, and start: sitecrawl"
            " ui -s SITECRAWL_OVERRIDES=overrides"
        )
    own = Path(config.overrides[0]) / f"{host}.yaml"
    return _read(own) if above is None else OverrideFile(own, above.text, above.path)


def corrections(file: OverrideFile) -> list[Correction]:
    """Return the selectors in a file, in their order. Raises ConfigError."""
    data = _data(file)
    found = [Correction(key, text) for key in KEYS for text in _texts(data, key)]
    for number, layout in enumerate(data.get("layouts", []), 1):
        name = str(layout.get("name", number))
        found += [Correction(key, text, name) for key in KEYS for text in _texts(layout, key)]
    return found


def with_correction(file: OverrideFile, made: Correction) -> str:
    """Return the text of a file with one more selector; the newest content, title and date are tried first."""
    data = _data(file)
    part = _part(data, made.layout)
    texts = [text for text in _texts(part, made.key) if text != made.selector]
    part[made.key] = [*texts, made.selector] if made.key in ADDED else [made.selector, *texts]
    return _text(file, data)


def with_corrections(file: OverrideFile, made: Iterable[Correction]) -> str:
    """Return the text of a file with several more selectors."""
    for one in made:
        file = replace(file, text=with_correction(file, one))
    return file.text


def without_correction(file: OverrideFile, taken: Correction) -> str:
    """Return the text of a file without one of its selectors; "" if nothing is left."""
    data = _data(file)
    part = _part(data, taken.layout)
    texts = [text for text in _texts(part, taken.key) if text != taken.selector]
    part.pop(taken.key, None)
    if texts:
        part[taken.key] = texts
    layouts = [one for one in data.get("layouts", []) if set(one) - {"url", "name"}]
    data.pop("layouts", None)
    if layouts:
        data["layouts"] = layouts
    return _text(file, data) if data else ""


def save(file: OverrideFile, text: str, digest: str) -> None:
    """Write a file atomically; an empty text removes it.

    Comments below the first key are lost, so a file with such comments is kept as `NAME.bak`. Raises
    ChangedMeanwhileError if the file no longer has this digest. Raises ConfigError if the text is not an override, if
    it cannot be written, or if it is empty while inherited rules exist, since these would apply again.
    """
    if text:
        parse_override(text, str(file.path))
    elif file.inherited is not None:
        raise ConfigError(
            f"{file.inherited} applies to this site too, and has only this selector; correct that file, or write"
            f" {file.path}"
        )
    with _SAVING:
        if _read(file.path).digest != digest:
            raise ChangedMeanwhileError(
                f"{file.path}: this file has changed meanwhile; nothing was saved. Reload its corrections,"
                " and correct the page again"
            )
        try:
            _write(file, text)
        except OSError as error:
            raise ConfigError(
                f"{file.path}: cannot be written ({error.strerror}); change the permissions of the folder"
            ) from error


def _write(file: OverrideFile, text: str) -> None:
    path = file.path
    path.parent.mkdir(parents=True, exist_ok=True)
    if file.inherited is None and _comments(file.text) != _comments(text):
        path.with_name(f"{path.name}.bak").write_text(file.text, "utf-8")
    if not text:
        path.unlink(missing_ok=True)
        return
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(text, "utf-8")
    draft.replace(path)


def _read(path: Path) -> OverrideFile:
    try:
        return OverrideFile(path, path.read_text("utf-8") if path.exists() else "")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}; correct it") from error


def _data(file: OverrideFile) -> dict[str, Any]:
    """Return the values of a file after checking it. Raises ConfigError."""
    if file.override is None:
        return {}
    data: dict[str, Any] = deepcopy(yaml.safe_load(file.text))
    return data


def _texts(part: Mapping[str, Any], key: str) -> list[str]:
    given = part.get(key, [])
    return [given] if isinstance(given, str) else list(given)


def _part(data: dict[str, Any], layout: str) -> dict[str, Any]:
    """Return the part of a file's values that contains the rule of a layout. Raises ConfigError if it is missing."""
    if not layout:
        return data
    for number, one in enumerate(data.get("layouts", []), 1):
        if str(one.get("name", number)) == layout:
            part: dict[str, Any] = one
            return part
    raise ChangedMeanwhileError(f"the override has no layout {layout} any more; reload its corrections")


def _text(file: OverrideFile, data: Mapping[str, Any]) -> str:
    """Return the values as YAML, after the comments at the beginning of the file."""
    head = []
    for line in file.text.splitlines():
        if line.strip() and not line.startswith("#"):
            break
        head.append(line)
    comments = "\n".join(head).strip()
    body = yaml.safe_dump(dict(data), sort_keys=False, allow_unicode=True, default_flow_style=False, width=1000)
    return f"{comments}\n{body}" if comments else body


def _comments(text: str) -> int:
    return sum(line.lstrip().startswith("#") or " #" in line for line in text.splitlines())
