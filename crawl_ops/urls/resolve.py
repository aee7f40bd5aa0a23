"""Resolving a link against the page it stands on."""

from ada_url import join_url

from crawl_ops.urls.limits import fault_of


def join(base: str, href: str) -> str | None:
    """`href` made absolute against `base` (WHATWG URL Standard), or None when it is no URL.

    The result is serialized but not normalized: it keeps its fragment. Never raises.
    """
    if fault_of(base) or fault_of(href, nul_allowed=True):
        return None
    try:
        return str(join_url(base, href))
    except ValueError:
        return None
