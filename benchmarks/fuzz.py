"""Throws strange input at what reads the web, from URLs and headers to HTML, sitemaps and PDF.

python benchmarks/fuzz.py [--target html]... [--seconds 600] [--engine hypothesis|atheris]

Each target runs in a process of its own, under a limit of memory. Prints one line a target: inputs
tried, slowest one, memory. Exit 1 when an input raised, took over --slow seconds, or memory went
over --memory MB; the input is written to --work. atheris (coverage-guided) has to be installed
by hand: `pip install atheris`.
"""

import argparse
import hashlib
import os
import random
import resource
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE))

ENGINES = ("hypothesis", "atheris")
NAMES = ("urls", "robots", "charset", "html", "sitemap", "headers", "documents")
ROUND = 2_000


class Watched:
    """A target that measures each input, and keeps those that go wrong."""

    def __init__(self, name: str, target: Callable[[bytes], None], slow_s: float, work: Path):
        self.tried = 0
        self.slowest_s = 0.0
        self.found: dict[str, Path] = {}
        self._name, self._target, self._slow_s, self._work = name, target, slow_s, work

    def __call__(self, data: bytes) -> None:
        self.tried += 1
        began = time.process_time()
        try:
            self._target(data)
        except Exception as error:  # noqa: BLE001  (this is what is looked for)
            last = traceback.extract_tb(error.__traceback__)[-1]
            self._keep(f"{type(error).__name__} in {last.name}:{last.lineno}", data, error)
        took = time.process_time() - began
        self.slowest_s = max(self.slowest_s, took)
        if took > self._slow_s:
            self._keep("slow", data, f"{took:.1f} s")

    def _keep(self, what: str, data: bytes, error: object) -> None:
        if what in self.found:
            return
        name = f"{self._name}-{hashlib.sha256(data).hexdigest()[:12]}"
        self._work.mkdir(parents=True, exist_ok=True)
        self.found[what] = self._work / name
        self.found[what].write_bytes(data)
        print(f"{self._name}: {what}: {error!s:.300}: {self.found[what]}", flush=True)

    def line(self) -> str:
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return (
            f"{self._name:9} {self.tried:9,} inputs, slowest {self.slowest_s:.2f} s, "
            f"{memory:.0f} MB, {len(self.found)} found"
        )


def by_hypothesis(watched: Watched, name: str, seconds: float) -> None:
    """Soups of a target's tokens, bytes, and changed samples, until the time is over."""
    from hypothesis import HealthCheck, given, seed, settings
    from hypothesis import strategies as st

    from benchmarks.fuzz_targets import samples, tokens

    real = list(samples(name))
    piece = st.one_of(st.sampled_from(tokens(name)), st.binary(max_size=6))
    joined = st.sampled_from((b"", b"", b" ", b"\n", b"\r\n"))
    soup = st.builds(lambda pieces, by: by.join(pieces), st.lists(piece, max_size=80), joined)
    changed = st.builds(_changed, st.sampled_from(real), soup, st.randoms(use_true_random=False))
    repeated = st.builds(lambda data, times: data * times, soup, st.integers(1, 400))
    until = time.monotonic() + seconds
    number = random.SystemRandom().randrange(1 << 30)
    for data in real:
        watched(data)
    while time.monotonic() < until:
        number += 1

        @seed(number)
        @settings(
            max_examples=ROUND, deadline=None, database=None, suppress_health_check=HealthCheck
        )
        @given(st.one_of(soup, changed, repeated, st.binary(max_size=600)))
        def once(data: bytes) -> None:
            if time.monotonic() < until:
                watched(data[: 1 << 16])

        once()


def _changed(data: bytes, soup: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data) + 1)
    return data[:start] + soup + data[start + chance.randrange(12) :]


def by_atheris(watched: Watched, name: str, seconds: float, memory_mb: int, work: Path) -> None:
    """The same, guided by which lines of crawl_ops an input reaches."""
    import atheris

    from benchmarks.fuzz_targets import samples

    corpus = work / f"corpus-{name}"
    corpus.mkdir(parents=True, exist_ok=True)
    for data in samples(name):
        (corpus / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
    options = [f"-rss_limit_mb={memory_mb}", "-timeout=60", "-max_len=20000", "-verbosity=0"]
    options += [f"-artifact_prefix={work}/{name}-", str(corpus)]
    until = time.monotonic() + seconds

    def once(data: bytes) -> None:
        watched(data)
        if time.monotonic() > until:  # libFuzzer would end the process without a word
            print(watched.line(), flush=True)
            os._exit(int(bool(watched.found)))

    atheris.Setup([sys.argv[0], *options], once)
    atheris.Fuzz()


def one(name: str, given: argparse.Namespace) -> int:
    """Fuzz one target in this process."""
    limit = given.memory * 4 << 20  # of address space; what is resident is looked at in the end
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    if given.engine == "atheris":
        import atheris

        with atheris.instrument_imports(include=["crawl_ops"], enable_loader_override=False):
            from benchmarks.fuzz_targets import TARGETS
    else:
        from benchmarks.fuzz_targets import TARGETS
    watched = Watched(name, TARGETS[name], given.slow, given.work)
    if given.engine == "atheris":
        by_atheris(watched, name, given.seconds, given.memory, given.work)
    else:
        by_hypothesis(watched, name, given.seconds)
        print(watched.line(), flush=True)
    memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return int(bool(watched.found) or memory_mb > given.memory)


def main() -> int:
    """Fuzz each target in a process of its own; 0 when nothing was found."""
    parser = argparse.ArgumentParser(description="Fuzz what reads the web.")
    parser.add_argument("--target", action="append", help="one of the targets; default: all")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each target")
    parser.add_argument("--engine", choices=ENGINES, default=ENGINES[0])
    parser.add_argument("--slow", type=float, default=5.0, help="CPU seconds an input may take")
    parser.add_argument("--memory", type=int, default=500, help="MB that a target may take")
    parser.add_argument("--work", type=Path, default=HERE / "build" / "fuzz")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    names = given.target or list(NAMES)
    if given.here:
        return one(names[0], given)
    shared = [f"--seconds={given.seconds}", f"--engine={given.engine}", f"--slow={given.slow}"]
    shared += [f"--memory={given.memory}", f"--work={given.work}"]
    codes = [
        subprocess.run(
            [sys.executable, __file__, "--here", "--target", name, *shared], check=False
        ).returncode
        for name in names
    ]
    return int(any(codes))


if __name__ == "__main__":
    sys.exit(main())
