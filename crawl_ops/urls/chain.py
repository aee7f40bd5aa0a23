"""The chain a URL goes through: normalizers in order, then filters in order."""

import hashlib
from collections.abc import Callable, Sequence
from itertools import chain

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import Verdict
from crawl_ops.urls.limits import fault_of
from crawl_ops.urls.normalizers.basic import BasicUrlNormalizer
from crawl_ops.urls.plain import Plain
from crawl_ops.urls.plugs import (
    FILTERS,
    NORMALIZERS,
    UrlFilter,
    UrlNormalizer,
    filters_of,
    normalizers_of,
)

_MALFORMED = "malformed"


class UrlChain:
    """The normalizers and filters of one scope, ready to use. Thread-safe.

    Scopes are Nutch's: inject, outlink, fetcher, crawldb, linkdb, indexer, partition,
    generate_host_count, default. Raises ConfigError for unknown plugs, scopes and bad rules.
    """

    def __init__(
        self,
        config: CrawlConfig,
        scope: str = "default",
        *,
        normalize: bool = True,
        filter: bool = True,  # noqa: A002  (the word everyone uses for it)
    ) -> None:
        self._loops = config.urlnormalizer.loop_count
        normalizers = normalizers_of(config, scope) if normalize else ()
        self._steps: tuple[tuple[str, Callable[[str], str | None]], ...] = tuple(
            (plug.name, plug.normalize) for plug in normalizers
        )
        self._drops_fragments = bool(normalizers) and isinstance(normalizers[0], BasicUrlNormalizer)
        filters = filters_of(config) if filter else ()
        self._filters = tuple((plug.name, plug.refusal) for plug in filters)
        self._acceptances: tuple[tuple[str, Callable[[str], str | None]], ...] = tuple(
            (plug.name, plug.acceptance) for plug in filters if hasattr(plug, "acceptance")
        )
        self._plugs: tuple[UrlNormalizer | UrlFilter, ...] = (*normalizers, *filters)
        self._ours = all(type(plug) in FILTERS.values() for plug in filters)
        self._filters_fingerprint = _digest([plug.fingerprint for plug in filters])
        self._fingerprint = _digest(
            [
                str(self._loops),
                str(len(normalizers)),
                *(plug.fingerprint for plug in normalizers),
                *(plug.fingerprint for plug in filters),
            ]
        )

    def judge(self, url: str) -> Verdict:
        """The URL as the crawl knows it, or the plug and rule that refused it.

        Raises CrawlError when a plug-in of one's own fails: what it would have said is not known.
        """
        found = self._normalized(url)
        if isinstance(found, Verdict):
            return found
        return self.filtered(found)

    def normalize(self, url: str) -> str | None:
        """The URL after the normalizers, or None when it is malformed."""
        found = self._normalized(url)
        return None if isinstance(found, Verdict) else found

    def without_fragment(self, url: str) -> str:
        """`url`, without its fragment if the verdict is the same: where `basic` is asked first."""
        page, mark, _ = url.partition("#")
        same = self._drops_fragments and page.startswith(("http://", "https://"))
        return page if mark and same and fault_of(url) is None else url

    def changes(self, url: str) -> list[tuple[str, str]]:
        """The normalizers that change `url`, in order, each with what it makes of it."""
        found: list[tuple[str, str]] = []
        for _ in range(self._loops if fault_of(url) is None else 0):
            before = url
            for name, normalize in self._steps:
                after = normalize(url)
                if after is None:
                    return found
                if after != url:
                    found.append((name, after))
                url = after
            if url == before:
                break
        return found

    def accepting(self, url: str) -> list[tuple[str, str]]:
        """Filters and their rules that say yes to `url`, of those filters that have such rules."""
        said = ((name, acceptance(url)) for name, acceptance in self._acceptances)
        return [(name, rule) for name, rule in said if rule is not None]

    def fingerprint(self) -> str:
        """Hex; changes when any rule, option or order changes that decides about a URL."""
        return self._fingerprint

    @property
    def filters(self) -> str:
        """Hex of the filters alone: who has passed them passes them again while it is the same.

        Empty with a filter of somebody's own, which may change its mind.
        """
        return self._filters_fingerprint if self._ours else ""

    def filtered(self, url: str) -> Verdict:
        """As judge, of a URL that the normalizers leave as it is."""
        for name, refusal in self._filters:
            rule = refusal(url)
            if rule is not None:
                return Verdict(None, name, rule, url)
        return Verdict(url)

    def plain(self) -> Plain | None:
        """Which URLs of plain.FORM `judge` would give back as they are; None if it must be asked.

        A plug of somebody's own must be, for each URL in its turn.
        """
        return self._plain_of(self._plugs)

    def plain_normalizers(self) -> Plain | None:
        """As plain, of the normalizers alone: which URLs they leave as they are."""
        return self._plain_of(self._plugs[: len(self._steps)])

    def plain_filters(self) -> Plain | None:
        """As plain, of the filters alone: which URLs `filtered` accepts."""
        return self._plain_of(self._plugs[len(self._steps) :])

    @staticmethod
    def _plain_of(plugs: Sequence[UrlNormalizer | UrlFilter]) -> Plain | None:
        known = {*NORMALIZERS.values(), *FILTERS.values()}
        if any(type(plug) not in known for plug in plugs):
            return None
        plains = [plug.plain if hasattr(plug, "plain") else _asking(plug) for plug in plugs]
        if sum(bool(plain.must) for plain in plains) > 1:
            return None
        return Plain(
            *(
                tuple(chain.from_iterable(getattr(plain, name) for plain in plains))
                for name in ("unless", "must", "asks")
            )
        )

    def _normalized(self, url: str) -> str | Verdict:
        fault = fault_of(url)
        if fault:
            return Verdict(None, _MALFORMED, fault)
        given, tidy = url, None
        for _ in range(self._loops):
            before = url
            for name, normalize in self._steps:
                found = normalize(url)
                if found is None:
                    return _dropped(name)
                url = found
                if name == "basic":
                    tidy = url
            if url == before:
                break
        return url if url is given else self._tidied(url, tidy)

    def _tidied(self, url: str, tidy: str | None) -> str | Verdict:
        # A rule after basic may leave what basic would not (`/..;sid=1/`). But a fragment that is
        # there now was put there on purpose (ajax in scope indexer).
        if tidy is not None and url != tidy and "#!" not in url:
            found = self._basic(url)
            if found is None:
                return _dropped("basic")
            url = found
        fault = fault_of(url)
        return Verdict(None, _MALFORMED, fault) if fault else url

    def _basic(self, url: str) -> str | None:
        return next(normalize(url) for name, normalize in self._steps if name == "basic")


def _asking(plug: UrlNormalizer | UrlFilter) -> Plain:
    """For a plug that says no more of itself."""
    if isinstance(plug, UrlNormalizer):
        return Plain(asks=(lambda url: plug.normalize(url) != url,))
    return Plain(asks=(plug.refusal,))


def _dropped(name: str) -> Verdict:
    if name == "basic":
        return Verdict(None, _MALFORMED, "is no URL")
    return Verdict(None, name, "dropped by the normalizer")


def _digest(texts: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(f"{len(data)}:".encode())
        digest.update(data)
    return digest.hexdigest()
