"""What no URL may be, whatever the plugs say: too long, or no text that can be stored."""

MAX_URL_CHARS = 65_536
"""Longer URLs are malformed. It also bounds what any regex of a rule file is run on."""


def fault_of(url: str, *, nul_allowed: bool = False) -> str | None:
    """Why `url` cannot be looked at, for people; None when it can."""
    if len(url) > MAX_URL_CHARS:
        return f"longer than {MAX_URL_CHARS} characters"
    if not nul_allowed and "\0" in url:
        return "contains a NUL character"
    if not url.isascii():
        try:
            url.encode("utf-8")
        except UnicodeEncodeError:
            return "contains a lone surrogate"
    return None
