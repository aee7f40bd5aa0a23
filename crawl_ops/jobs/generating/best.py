"""The URLs that generate selects: best sort values first, bucket by bucket in bounded memory."""

import itertools
import math
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.manifest import Bucket, Manifest
from crawl_ops.storage.merged import in_one_file
from crawl_ops.storage.runs import Claim
from crawl_ops.storage.session import Session
from crawl_ops.urls.chain import UrlChain

FILTER_ROUNDS = 4
NO_LIMIT = 2**62
SLACK = 4  # candidates are cut when they are a quarter more than wanted, and
LEAST_SLACK = 100_000  # at least so many
SAMPLED = 16  # of so many URLs of a crawldb of LARGE rows one is in the histogram
LARGE = 1_000_000
NO_CUT = -math.inf
WIDER = 4  # the factor by which a cut is lowered that left too few


class _Bin(NamedTuple):
    """Candidates of the sample with about one sort value, and the lowest of these values.

    squares: of what each host has down to here, summed, how much comes with this bin.
    """

    n: int = 0
    lowest: float = math.inf
    squares: int = 0


@dataclass
class Best:
    """Makes `selected`: key, slot, sort value and host of the URLs to fetch.

    First all buckets are counted, with a histogram of the sort values of what the limit leaves of
    some hosts. From it comes a cut that leaves some more than topN: what is below it is left out
    before hosts and URLs are looked at, and so is, while the buckets are gone through, what comes
    after the last of the best so far. A host's URLs beyond generate.max.count are those with the
    lowest values, so leaving those out changes nothing for the others. If the sample was no good
    and there are too few, the cut is lowered.
    URLs are compared by their places in a file that is in their order, or read, but not held; and
    read where topN falls between some of one sort value.
    """

    session: Session
    config: CrawlConfig
    manifest: Manifest
    taken: Claim
    topn: int
    counts: Counter[str] = field(default_factory=Counter)
    _lowest: float = NO_CUT
    _bins: dict[int, "_Bin"] = field(default_factory=dict)

    def select(self) -> None:
        """Select, ask the filters, and select again without what they refuse."""
        session = self.session
        chain = UrlChain(self.config, "default", normalize=False)
        # What these very filters have let in they let in again.
        passed = bool(chain.filters) and chain.filters == self.manifest.filters
        asks = self.config.generate.filter and not passed
        if not self.taken.following:
            session.append_columns("led_to", "crawl_generate", ("k",), ())
        for name in ("refused", "strange"):
            session.bind_rows(name, "rejected", [])
        session.append_columns("accepted", "crawl_generate", ("k",), ())
        session.define("generate_barred")
        session.define("generate_rules")
        for number in itertools.count():
            # Rules that changed much refuse much: then all candidates are asked, once.
            everything = number >= FILTER_ROUNDS
            self._select(NO_LIMIT if everything else self.topn)
            if not (asks and self._ask(chain)):
                break
        if everything:
            self._select(self.topn)

    def _select(self, topn: int) -> None:
        self.counts.clear()
        self._bins.clear()
        for bucket in self.manifest.buckets():
            self._count(bucket)
        wanted = topn
        while True:
            floor = self._floor(wanted)
            self._best(topn, floor)
            held = self.session.count("selected")
            if floor == NO_CUT or held >= min(topn, self.counts["candidates"]):
                break
            wanted *= WIDER
        self.counts["selected"] = held
        if left := self.counts["candidates"] - held:
            self.counts["topN"] = left

    def _floor(self, wanted: int) -> float:
        """A sort value that at least so many candidates reach, all but certainly."""
        if self.taken.following:  # only some of the candidates count
            return NO_CUT
        reached, squares, one_of = 0, 0, self._one_of
        for number in sorted(self._bins, reverse=True)[:-1]:
            reached += self._bins[number].n
            squares += self._bins[number].squares
            # What a sample may be wrong by: four standard deviations.
            if (reached * one_of - wanted) >= 4 * math.isqrt(squares * one_of * (one_of - 1)):
                return self._bins[number].lowest
        return NO_CUT

    def _best(self, topn: int, floor: float) -> None:
        self._lowest = floor
        self.session.create("selected", "generate_none")
        for bucket in self.manifest.buckets():
            self._candidates(bucket)
            held = self.session.count("selected")
            if held > topn + max(topn // SLACK, LEAST_SLACK) and topn:
                self._lowest = self._value_at(topn)["sort_value"]
                self.session.create("best", "generate_reaching", value=self._lowest)
                self.session.rename("best", "selected")
        self._cut(topn)

    @property
    def _one_of(self) -> int:
        """Of how many URLs one is in the histogram."""
        return SAMPLED if self.manifest.rows >= LARGE else 1

    @property
    def _capped(self) -> dict[str, Any]:
        return {
            "max_count": limit(self.config.generate.max_count),
            "by_domain": self.config.generate.count_mode == "domain",
        }

    def _bind(self, bucket: Bucket) -> None:
        self.session.bind_bucket("crawldb", "crawldb", bucket)
        self.session.create("strange", "generate_strange")
        barred = any(map(self.session.count, ("strange", "marked", "refused")))
        self.session.define("generate_barred" if barred else "generate_barred_none")

    def _count(self, bucket: Bucket) -> None:
        """Count what speaks for and against the URLs of a bucket."""
        session, capped = self.session, self._capped
        self._bind(bucket)
        session.create(
            "judged", "generate_judged", rules=self._rules(), by_domain=capped["by_domain"]
        )
        for row in session.rows("generate_counts", max_count=capped["max_count"]):
            self.counts[row["outcome"]] += row["n"]
        sample = {"rules": self._rules(), "one_of": self._one_of}
        if capped["max_count"] == NO_LIMIT:
            found = session.rows("generate_bins", **sample)
        else:
            found = session.rows("generate_bins_capped", **sample, **capped)
        for row in found:
            old = self._bins.get(row["bin"], _Bin())
            self._bins[row["bin"]] = _Bin(
                old.n + row["n"], min(old.lowest, row["lowest"]), old.squares + row["squares"]
            )

    def _candidates(self, bucket: Bucket) -> None:
        """Add the URLs of a bucket that may be selected."""
        session, capped = self.session, self._capped
        self._bind(bucket)
        apart = not capped["by_domain"]
        session.bind_ordered("crawldb", "crawldb", bucket, hosts_apart=apart)
        everywhere = {"everywhere": not self.taken.following}
        best = {
            "rules": self._rules(),
            "lowest": self._lowest,
            "lists_by_domain": self.config.partition.url_mode == "byDomain",
            **self._least(self._lowest),
        }
        if capped["max_count"] == NO_LIMIT:
            session.append("selected", "generate_candidates", **best, **everywhere)
            return
        session.append("selected", "generate_capped", **best, **capped, **everywhere)

    def _least(self, value: float) -> dict[str, float]:
        """The score that URLs of a sort value have at least."""
        return {"least": value if by_score_alone(self.config) else -math.inf}

    def _value_at(self, topn: int) -> dict[str, Any]:
        return self.session.rows("generate_lowest", place=topn - 1)[0]

    def _cut(self, topn: int) -> None:
        """Leave the best only: by sort value, then by URL."""
        session = self.session
        if session.count("selected") <= topn:
            return
        if topn == 0:
            session.create("best", "generate_none")
        else:
            found = self._value_at(topn)
            value, spare = found["sort_value"], topn - found["above"]
            if found["reaching"] > spare:
                self._first_by_url(value, spare)
                session.create("best", "generate_select", value=value)
                session.drop("tied")
            else:
                session.create("best", "generate_reaching", value=value)
        session.rename("best", "selected")

    def _first_by_url(self, value: float, spare: int) -> None:
        """`tied`: of the URLs with a sort value, so many."""
        session = self.session
        session.drop("tied")
        for number, bucket in enumerate(self.manifest.buckets(), 1):
            session.bind_ordered("crawldb", "crawldb", bucket, hosts_apart=True)
            given = {"lo": bucket.lo, "hi": bucket.hi, "value": value, **self._least(value)}
            most = value if by_score_alone(self.config) else math.inf
            tied = "generate_tied_rows" if in_one_file(bucket) else "generate_tied"
            session.append("tied", tied, most=most, **given)
            last = number == len(self.manifest.buckets())
            if session.count("tied") > spare + (0 if last else max(spare // SLACK, LEAST_SLACK)):
                session.create("first", "generate_first", place=spare - 1)
                session.rename("first", "tied")

    def _rules(self) -> dict[str, Any]:
        config = self.config
        return {
            "cur_time": datetime.fromisoformat(self.taken.cur_time),
            "interval_max": config.db.fetch_interval_max,
            "min_score": config.generate.min_score,
            "min_interval": config.generate.min_interval,
            "restrict_status": config.generate.restrict_status,
            "depth_scoring": not by_score_alone(config),
            "depth_max": config.scoring.depth_max,
        }

    def _ask(self, chain: UrlChain) -> bool:
        """Ask the filters about selected URLs they have not seen; whether they refuse any now."""
        session = self.session
        refused, accepted = [], []
        for bucket in self.manifest.buckets():
            session.bind_bucket("crawldb", "crawldb", bucket)
            slots = {"lo": bucket.lo, "hi": bucket.hi}
            for batch in session.batches("generate_selected_urls", **slots):
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


def by_score_alone(config: CrawlConfig) -> bool:
    """Whether sort values are the scores themselves."""
    return "depth" not in config.scoring.filter_order


def limit(value: int) -> int:
    """A limit as SQL has it: negative is none."""
    return NO_LIMIT if value < 0 else value
