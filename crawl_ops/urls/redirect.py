"""The representative URL of a redirect (Nutch's URLUtil.chooseRepr)."""

from crawl_ops.urls.hosts import UrlParts, domains, parts_of


def repr_url(src: str, dst: str, temporary: bool) -> str:
    """The URL that stands for a redirect from `src` to `dst`.

    Another domain: dst. Permanent: dst, unless src is the root of its host. Temporary: the root;
    of two pages of one host the one with the shorter path; of two hosts the one with fewer labels.
    A URL that cannot be read gives dst.
    """
    source, target = parts_of(src), parts_of(dst)
    if source is None or target is None or not source.host or not target.host:
        return dst
    domain_of = domains().domain_of
    if domain_of(source.host.lower()) != domain_of(target.host.lower()):
        return dst
    if not temporary:
        return src if _is_root(source) else dst
    if _is_root(source) != _is_root(target):
        return src if _is_root(source) else dst
    return src if _rank(source, target) <= _rank(target, source) else dst


def _is_root(url: UrlParts) -> bool:
    return url.path in ("", "/") and not url.query


def _rank(url: UrlParts, other: UrlParts) -> tuple[int, ...]:
    if _is_root(url) or url.host.lower() != other.host.lower():
        return (url.host.rstrip(".").count("."),)
    file = url.path + url.query
    return (file.count("/"), len(file))
