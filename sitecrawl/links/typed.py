"""Parts of URLs as people type them and browsers show them, beside the spelling of stored URLs. Pure."""

from w3lib.url import safe_url_string


def spellings(text: str) -> list[str]:
    """Return the spellings of a part of a URL: as typed, and as in stored URLs (escaped, the host in Punycode)."""
    found = [text]
    for start in ("", "//"):  # after the slashes stands a host
        try:
            found.append(safe_url_string(start + text).removeprefix(start))
        except ValueError:  # a bracket that is not closed, or a surrogate
            continue
    return list(dict.fromkeys(filter(None, found)))


def readable_host(host: str) -> str:
    """Return a host in letters where it is stored in Punycode: `xn--wgv71a119e.jp` is `日本語.jp`."""
    try:
        return host.encode("ascii").decode("idna") if "xn--" in host else host
    except UnicodeError:
        return host
