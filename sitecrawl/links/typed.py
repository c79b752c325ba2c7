"""Converts parts of URLs between the form that people type and browsers show, and that of stored URLs. Pure."""

from w3lib.url import safe_url_string


def spellings(text: str) -> list[str]:
    """Return the spellings of a part of a URL: as typed, and as in stored URLs (escaped, the host in Punycode)."""
    found = [text]
    for start in ("", "//"):  # after two slashes, the text is parsed as a host
        try:
            found.append(safe_url_string(start + text).removeprefix(start))
        except ValueError:  # an unclosed bracket, or a surrogate
            continue
    return list(dict.fromkeys(filter(None, found)))


def readable_host(host: str) -> str:
    """Return a host with Punycode decoded: `xn--wgv71a119e.jp` is `日本語.jp`."""
    try:
        return host.encode("ascii").decode("idna") if "xn--" in host else host
    except UnicodeError:
        return host
