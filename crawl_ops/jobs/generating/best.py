"""The URLs that generate selects: best sort values first, bucket by bucket in bounded memory."""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.manifest import Bucket
from crawl_ops.storage.runs import Claim
from crawl_ops.storage.session import Session
from crawl_ops.urls.chain import UrlChain

FILTER_ROUNDS = 4
NO_LIMIT = 2**62
SLACK = 4  # candidates are cut when they are a quarter more than wanted, and
LEAST_SLACK = 100_000  # at least so many


@dataclass
class Best:
    """Makes `selected`: key, URL, host, domain and sort value of the URLs to fetch.

    While the buckets are gone through, the last of the best so far is known: what comes after it
    is left out before hosts are looked at. A host's URLs beyond generate.max.count are those with
    the lowest values, so leaving those out changes nothing for the others.
    """

    session: Session
    config: CrawlConfig
    buckets: Sequence[Bucket]
    taken: Claim
    topn: int
    counts: Counter[str] = field(default_factory=Counter)
    _lowest: tuple[float, str] = (-math.inf, "")

    def select(self) -> None:
        """Select, ask the filters, and select again without what they refuse."""
        session = self.session
        asks = self.config.generate.filter
        chain = UrlChain(self.config, "default", normalize=False) if asks else None
        session.define("generate_rules")
        if not self.taken.following:
            session.append_columns("led_to", "crawl_generate", ("k",), ())
        session.bind_rows("refused", "rejected", [])
        session.append_columns("accepted", "crawl_generate", ("k",), ())
        for number in itertools.count():
            # Rules that changed much refuse much: then all candidates are asked, once.
            everything = number >= FILTER_ROUNDS
            self._select(NO_LIMIT if everything else self.topn)
            if not (chain and self._ask(chain)):
                break
        if everything:
            self._select(self.topn)

    def _select(self, topn: int) -> None:
        self.counts.clear()
        self._lowest = (-math.inf, "")
        self.session.create("selected", "generate_none")
        for bucket in self.buckets:
            self._candidates(bucket)
            held = self.session.count("selected")
            if held > topn + max(topn // SLACK, LEAST_SLACK):
                self._cut(topn)
        self._cut(topn)
        self.counts["selected"] = self.session.count("selected")
        self.counts["topN"] = self.counts["candidates"] - self.counts["selected"]

    def _candidates(self, bucket: Bucket) -> None:
        """Add the URLs of a bucket that may be selected, and count what speaks against others."""
        session, rules = self.session, self._rules()
        session.bind_bucket("crawldb", "crawldb", bucket)
        session.create("strange", "generate_strange")
        capped = {
            "max_count": limit(self.config.generate.max_count),
            "by_domain": self.config.generate.count_mode == "domain",
        }
        for row in session.rows("generate_counts", rules=rules, **capped):
            self.counts[row["outcome"]] += row["n"]
        value, url = self._lowest
        best = {
            "rules": rules,
            "lowest": value,
            "lowest_url": url,
            "everywhere": not self.taken.following,
        }
        if capped["max_count"] == NO_LIMIT:
            session.append("selected", "generate_candidates", **best)
        else:
            session.append("selected", "generate_capped", **best, **capped)

    def _cut(self, topn: int) -> None:
        """Leave the best only: by sort value, then by URL."""
        session = self.session
        if session.count("selected") <= topn:
            return
        if topn == 0:
            session.create("best", "generate_none")
        else:
            value = session.rows("generate_lowest", place=topn - 1)[0]["sort_value"]
            above = session.rows("generate_above", value=value)[0]["n"]
            found = session.rows("generate_border", value=value, place=topn - above - 1)
            self._lowest = (value, found[0]["url"])
            session.create("best", "generate_select", value=value, url=found[0]["url"])
        session.rename("best", "selected")

    def _rules(self) -> dict[str, Any]:
        config = self.config
        return {
            "cur_time": datetime.fromisoformat(self.taken.cur_time),
            "interval_max": config.db.fetch_interval_max,
            "min_score": config.generate.min_score,
            "min_interval": config.generate.min_interval,
            "restrict_status": config.generate.restrict_status,
            "depth_scoring": "depth" in config.scoring.filter_order,
            "depth_max": config.scoring.depth_max,
        }

    def _ask(self, chain: UrlChain) -> bool:
        """Ask the filters about selected URLs they have not seen; whether they refuse any now."""
        session = self.session
        refused, accepted = [], []
        for batch in session.batches("generate_selected_urls"):
            for row in batch:
                verdict = chain.judge(row["url"])
                if verdict.url is None:
                    rule = f"urlfilter.{verdict.rejected_by}"
                    refused.append(self._refusal(row, rule, verdict.rule))
                else:
                    accepted.append((row["k"],))
        session.append_columns("accepted", "crawl_generate", ("k",), accepted)
        session.append_rows("refused", "rejected", refused)
        return bool(refused)

    def _refusal(self, row: dict[str, Any], rule: str, detail: str | None) -> dict[str, Any]:
        return {
            "k": row["k"],
            "url": row["url"],
            "attempt": "",
            "step": "generate",
            "rule": rule,
            "detail": detail,
            "time": datetime.fromisoformat(self.taken.now),
        }


def limit(value: int) -> int:
    """A limit as SQL has it: negative is none."""
    return NO_LIMIT if value < 0 else value
