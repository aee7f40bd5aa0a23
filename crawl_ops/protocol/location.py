"""Where a redirect leads."""

import ada_url


def target(base: str, location: bytes) -> tuple[str | None, str | None]:
    """The absolute target of a Location header, without fragment, and why there is none.

    Resolved against the requested URL by the URL standard. Bytes beyond ASCII are percent-encoded
    as they are, whatever charset the server had in mind: that is what it expects to get back.
    """
    text = "".join(
        chr(b) if 0x20 <= b < 0x7F or b == 0x09 else f"%{b:02X}" for b in location.strip()
    )
    if not text:
        return None, "redirect without Location"
    try:
        joined = ada_url.join_url(base, text)
    except ValueError:
        return None, f"redirect to a bad Location: {text[:200]}"
    scheme = joined.partition(":")[0]
    if scheme not in ("http", "https"):
        return None, f"redirect to a scheme that is not fetched: {scheme[:20]}"
    return joined.partition("#")[0], None
