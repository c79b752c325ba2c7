"""The scope and the access of one crawl, from settings, the site's own options, and the arguments of the crawl.

If several of them set an option, the first of these wins: an argument, the file of secrets, an option of the site
(`site.options`), a setting. Options of a site are stored in the database, so they must not contain secrets: cookies,
headers, logins and passwords are read from the file `SITECRAWL_SECRETS`, from settings, or from arguments.
"""

import os
import stat
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from sitecrawl.config import Config
from sitecrawl.errors import ConfigError
from sitecrawl.links.crawl_rules import CrawlRules, folder_of, patterns
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.urls import fetchable_url, url_key, url_problem

SCOPE: Final = ("include", "exclude", "path_scope", "sitemap_only", "urls")
"""Options that restrict which URLs are requested."""
SECRET: Final = ("cookies", "headers", "login")
"""Options that must not be stored in the database."""
OWN: Final = ("max_pages", *SCOPE, "proxy", "user_agent")
"""Keys of `site.options` that this module reads."""
ARGUMENTS: Final = (*OWN, *SECRET)
"""Arguments of the spider that this module reads."""
OF_SITES: Final = (*SECRET, "proxy")
"""Keys of a site in the file of secrets."""
MOST_LISTED: Final = 1_000_000
"""Maximum lines of a list of URLs [OWN]."""


@dataclass(frozen=True, slots=True)
class Login:
    """A form to be sent before the first page."""

    url: str
    fields: Mapping[str, str] = field(repr=False)
    """Names and values; hidden fields of the form on the page are added."""
    check: str = ""
    """Regular expression that must match in the page after the login; empty to accept any page."""


@dataclass(frozen=True, slots=True)
class Access:
    """Cookies, headers, login, proxy and user agent of a crawl."""

    cookies: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    login: Login | None = None
    proxy: str = field(default="", repr=False)
    user_agent: str = ""

    @property
    def has_session(self) -> bool:
        """Whether requests carry a session, which a log-out link could end."""
        return bool(self.cookies) or self.login is not None

    @property
    def is_plain(self) -> bool:
        """Whether requests need no cookies, headers, login or proxy of the site."""
        return not (self.cookies or self.headers or self.login or self.proxy)


@dataclass(frozen=True, slots=True)
class SiteOptions:
    """The options of one crawl, after settings, site options and arguments are merged."""

    config: Config
    """The settings, with the values of the site and of the crawl in place of theirs."""
    rules: CrawlRules
    standing: CrawlRules
    """The rules of settings and site, without arguments. Stored pages that they refuse leave feed and indexes."""
    listed: Mapping[int, str] = field(default_factory=dict)
    """The list of URLs, by URL key; empty if there is none."""
    access: Access = field(default_factory=Access)


def site_options(config: Config, own: Mapping[str, Any], given: Mapping[str, Any], start_url: str) -> SiteOptions:
    """Return the merged options of a crawl from settings, the `site.options` of the site, and arguments.

    Raises ConfigError for an unusable value; its message contains no secret.
    """
    scope = SiteScope.of(start_url, config.site_scope)
    check_own(own, scope.key)
    lasting = config.replaced({name: own[name] for name in OWN if name in own and name != "user_agent"})
    secret = _secrets(config.secrets, scope.key)
    now = lasting.replaced(secret).replaced({name: given[name] for name in given if name != "user_agent"})
    access = _access(now, scope, start_url, str(given.get("user_agent") or own.get("user_agent") or ""))
    listed = dict(_listed_urls(now.urls, scope))
    if listed:
        now = replace(now, sitemaps=False, feeds=False)
    elif now.sitemap_only:
        now = replace(now, feeds=False)
    rules = replace(_rules(now, start_url), keep_session=access.has_session)
    if listed:
        rules = replace(rules, listed=frozenset(listed))
    elif rules.refusal(start_url) == "exclude":
        raise ConfigError(f"{start_url}: an exclude rule matches the start URL itself; nothing would be crawled")
    elif rules.include:
        rules = replace(rules, include=(*rules.include, *patterns([_exactly(start_url)], "the start URL")))
    return SiteOptions(now, rules, _rules(lasting, start_url), listed, access)


def check_own(own: Mapping[str, Any], host: str) -> None:
    """Raise ConfigError if `site.options` contain a secret, or a value that cannot be used."""
    found = [name for name in SECRET if name in own]
    if found or "@" in str(own.get("proxy", "")):
        name = (found or ["the password of a proxy"])[0]
        raise ConfigError(f"{host}: {name} cannot be an option of a site; write it to the file of SITECRAWL_SECRETS")
    for name in ("include", "exclude"):
        patterns(getattr(Config().replaced({name: own[name]}), name) if name in own else (), f"{host}: {name}")


def _rules(config: Config, start_url: str) -> CrawlRules:
    return CrawlRules(
        patterns(config.include, "include"),
        patterns(config.exclude, "exclude"),
        folder_of(start_url) if config.path_scope else None,
    )


def _exactly(url: str) -> str:
    """Return a regular expression that matches one URL and nothing else."""
    special = r".^$*+?{}[]\|()"
    return "^" + "".join(f"\\{one}" if one in special else one for one in url) + "$"


def _lines_of(name: str) -> list[str]:
    """Return the stripped lines of a list, with "" for blank lines and comments. Raises OSError, UnicodeDecodeError."""
    lines = (line.strip() for line in Path(name).read_text(encoding="utf-8-sig").splitlines())
    return ["" if line.startswith("#") else line for line in lines]


def _listed_urls(name: str, scope: SiteScope) -> Iterator[tuple[int, str]]:
    """Yield (URL key, URL) of each URL in a list; nothing without a name. Raises ConfigError for a bad line or list."""
    if not name:
        return
    try:
        lines = _lines_of(name)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not text in UTF-8"
        raise ConfigError(f"urls={name}: the list of URLs cannot be read ({why})") from error
    if len(lines) > MOST_LISTED:
        raise ConfigError(f"urls={name}: {len(lines)} lines, over {MOST_LISTED}; make several lists")
    found = 0
    for number, text in enumerate(lines, 1):
        if not text:
            continue
        url = fetchable_url(text)
        if url is None:
            raise ConfigError(f"urls={name}, line {number}: {text!r:.100} cannot be fetched ({url_problem(text)})")
        if not scope.contains(url):
            raise ConfigError(f"urls={name}, line {number}: {url:.100} is not of the site {scope.key}")
        found += 1
        yield url_key(url), url
    if not found:
        raise ConfigError(f"urls={name}: the list has no URL")


def first_listed_url(name: str) -> str | None:
    """Return the first URL of a list, which selects the site of a crawl without `url`; None if none can be read."""
    try:
        return next(filter(None, _lines_of(name)), None)
    except (OSError, UnicodeDecodeError):
        return None


def _secrets(name: str, host: str) -> Mapping[str, Any]:
    """Return the secrets of a site from the file of secrets. Raises ConfigError, whose message shows no secret."""
    if not name:
        return {}
    path = Path(name)
    try:
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise ConfigError(f"SITECRAWL_SECRETS={name}: others may read it; run: chmod 600 {name}")
        sites = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"SITECRAWL_SECRETS={name}: cannot be read ({error.strerror})") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        where = str(error).rpartition("(")[2].rstrip(")") if isinstance(error, tomllib.TOMLDecodeError) else "not UTF-8"
        raise ConfigError(f"SITECRAWL_SECRETS={name}: not TOML ({where})") from None
    options = sites.get(host, {})
    if not isinstance(options, dict) or not set(options) <= set(OF_SITES):
        raise ConfigError(f"SITECRAWL_SECRETS={name}: the table [{host!r}] takes {', '.join(OF_SITES)}")
    return options


def _access(config: Config, scope: SiteScope, start_url: str, user_agent: str) -> Access:
    return Access(
        _texts(config.cookies or {}, "cookies", forbidden=";,"),
        _headers(_texts(config.headers or {}, "headers")),
        _login(config.login, scope, start_url) if config.login else None,
        _proxy(config.proxy),
        user_agent,
    )


def _texts(values: Mapping[str, Any], name: str, forbidden: str = "") -> dict[str, str]:
    for key, value in values.items():
        text = f"{key}{value}"
        if not key or not isinstance(value, str) or not text.isprintable() or any(one in text for one in forbidden):
            raise ConfigError(f"{name}: {key!r:.50} has a value that cannot be sent; names and values are plain text")
    return dict(values)


def _headers(headers: dict[str, str]) -> dict[str, str]:
    for name in headers:
        if name.lower() in ("host", "cookie", "content-length", "transfer-encoding", "connection"):
            raise ConfigError(
                f"headers: {name} cannot be set as a header" + ("; use cookies" if name == "Cookie" else "")
            )
        if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
            raise ConfigError(f"headers: {name!r:.50} is not a valid header name")
    return headers


def _login(options: Mapping[str, Any], scope: SiteScope, start_url: str) -> Login:
    url = fetchable_url(urljoin(start_url, str(options.get("url") or "")))
    fields = options.get("fields")
    unknown = set(options) - {"url", "fields", "check"}
    if unknown or not options.get("url") or not isinstance(fields, dict) or not fields:
        raise ConfigError('login takes {"url": URL, "fields": {NAME: VALUE, ...}, "check": REGULAR EXPRESSION}')
    if url is None or not scope.contains(url):
        raise ConfigError(f"login: the address of the form is not of the site {scope.key}")
    check = str(options.get("check") or "")
    patterns([check], "login: check")
    return Login(url, {str(name): str(value) for name, value in fields.items()}, check)


def _proxy(text: str) -> str:
    if not text:
        return ""
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good:
        raise ConfigError("proxy cannot be used: give one as http://proxy.example.org:3128")
    return text
