import io
import logging
import os
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest

from crawl_ops.cli.app import command
from crawl_ops.errors import (
    CommitConflictError,
    ConfigError,
    CrawlError,
    IndexingError,
    NotFoundError,
    SeedError,
    StoreError,
    os_reason,
)

COMMAND = (sys.executable, "-m", "crawl_ops")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("", "--help"),
        ("unknown", "unknown"),
        ("crawl --seeds s --depth 0", "--depth"),
        ("crawl --seeds s --depth two", "--depth"),
        ("crawl --seeds s --depth -1", "--depth"),
        ("crawl --seeds s --depth 1.5", "--depth"),
        ("crawl --seeds s", "--depth"),
        ("crawl --seeds s --depth 1 --topn many", "--topn"),
        ("generate --num-fetchers 0", "--num-fetchers"),
        ("generate --add-days nan", "--add-days"),
        ("generate --redo some", "--redo"),
        ("generate --topn 99999999999999999999", "--topn"),
        ("generate --depth 99999999999999999999", "--depth"),
        ("crawl --seeds s --depth 1 --topn 99999999999999999999", "--topn"),
        ("fetch S --partition 99999999999999999999", "--partition"),
        ("parse S --partition 1000", "--partition"),
        ("readdb --dump --limit 99999999999999999999", "--limit"),
        ("readdb --dump --retry 99999999999999999999", "--retry"),
        ("fetch", "SEGMENT"),
        ("fetch S --partition -1", "--partition"),
        ("fetch /", "names no segment"),
        ("updatedb", "SEGMENT"),
        ("inject", "SEEDS"),
        ("inject a b", "SEEDS"),
        ("readdb", "--stats"),
        ("readdb --stats --dump", "--stats"),
        ("readdb --dump --format xml", "--format"),
        ("readdb --dump --status db_new", "--status"),
        ("readdb --dump --regex (", "--regex"),
        ("readseg", "--list"),
        ("readseg --list --get u", "--list"),
        ("readlinkdb", "--url"),
        ("search q --limit 0", "--limit"),
        ("search", "QUERY"),
        ("warc S", "--out"),
        ("readdb --stats --nonsense", "--nonsense"),
        ("readdb --stats -D noequals", "-D"),
        ("readdb --stats -D =5", "-D"),
        ("readdb --stats --dir", "--dir"),
        ("--config missing.toml readdb --stats", "missing.toml"),
        ("readdb --stats -D fetcher.threads.fetch=0", "fetcher.threads.fetch"),
        ("readdb --stats -D fetcher.thread.fetch=1", "fetcher.threads.fetch"),
        ("dedup --group page", "deduplication.group.mode"),
        ("dedup --compare-order beauty", "deduplication.compare.order"),
    ],
)
def test_wrong_usage_is_one_line_that_names_it(world, run, words: str, named: str) -> None:
    done = run(*words.split())
    assert (done.code, done.out) == (2, "")
    assert named in done.err
    assert done.err.count("\n") == 1
    assert done.err.startswith("crawl-ops: ")


@pytest.mark.parametrize(
    "words",
    [
        ("readdb", "--url", b"http://a.example/\xff\xfe"),
        ("explain", b"\xff\xfe"),
        ("sql", b"select '\xff\xfe'"),
        ("--dir", b"\xff\xfe", "readdb", "--stats"),
        ("inject", "--dir", b"\xff", "http://a.example/"),
        ("readdb", "--stats", "-D", b"http.agent.name=\xff"),
        (b"\xff",),
        ("normalize", b"http://a.example/\xff"),
    ],
)
def test_an_argument_that_is_not_utf_8_is_wrong_usage(world, run, words: tuple) -> None:
    done = run(*(os.fsdecode(word) for word in words))
    assert (done.code, done.out) == (2, "")
    assert "is not UTF-8 text" in done.err
    assert done.err.count("\n") == 1


def test_a_query_on_standard_input_that_is_not_utf_8_is_wrong_usage(world, run, monkeypatch):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"select '\xff'")))
    done = run("sql", "-")
    assert (done.code, done.out) == (2, "")
    assert "standard input" in done.err
    assert "not UTF-8" in done.err


def test_every_whole_number_of_the_command_line_has_a_largest_value() -> None:
    unbounded = [
        f"{verb} {option.opts[0]}"
        for verb, found in command().commands.items()
        for option in found.params
        if option.type_descriptor.annotation in (int, float)
        and option.max is None
        and not option.count
    ]
    assert unbounded == []
    assert command().commands["generate"].params[0].max == 2**31 - 1


def test_an_empty_folder_name_is_wrong_usage(world, run) -> None:
    done = run("--dir", "", "readdb", "--stats")
    assert done.code == 2
    assert "--dir" in done.err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("p: too large"), 2),
        (SeedError("seeds.txt: nothing in it"), 2),
        (StoreError("broken\nfile"), 2),
        (CommitConflictError("again"), 2),
        (IndexingError("refused"), 2),
        (CrawlError("no"), 2),
        (NotFoundError("no segment"), 1),
        (OSError(28, "No space left on device", "/data/x"), 2),
        (PermissionError(13, "Permission denied", "/data/x"), 2),
        (KeyboardInterrupt(), 130),
        (ZeroDivisionError("bug"), 70),
    ],
)
def test_exit_codes(world, run, error: BaseException, code: int) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    world.on_call["clean"] = fail
    done = run("clean")
    assert (done.code, done.out) == (code, "")
    if isinstance(error, CrawlError):
        assert done.err == f"crawl-ops: {' '.join(str(error).split())}\n"
    if isinstance(error, OSError):
        assert done.err == f"crawl-ops: /data/x: {os_reason(error)}\n"
    assert ("Traceback" in done.err) == isinstance(error, ZeroDivisionError)


def test_the_version_is_one_line(run) -> None:
    told = run("--version")
    assert (told.code, told.out) == (0, f"crawl-ops {version('crawl-ops')}\n")


def test_help_is_no_error(run) -> None:
    done = run("crawl", "--help")
    assert done.code == 0
    assert "--depth" in done.out


def test_logging_is_configured_once(world, run) -> None:
    run("clean", "-v")
    run("clean", "-vv")
    run("clean")
    logger = logging.getLogger("crawl_ops")
    assert logger.level == logging.WARNING
    assert sum(type(h).__name__ == "_StderrHandler" for h in logger.handlers) == 1


def test_a_reader_that_goes_away_is_no_error_message() -> None:
    command = " ".join((*COMMAND, "showproperties", "--json"))
    shell = f"for i in 1 2 3; do {command} || echo $? >&2; done | true"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
    assert set(done.stderr.split()) <= {"141"}


def test_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "showproperties"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert "the disk is full" in done.stderr
    assert done.stderr.count("\n") == 1


WAITING = """
import sys
from importlib.metadata import version
from types import ModuleType, SimpleNamespace
from crawl_ops.errors import StoppedError
def fetch(crawl, config, segment, clock, *, partition, stop, progress):
    print("ready", file=sys.stderr, flush=True)
    assert stop.wait(60)
    raise StoppedError("fetch S: 3 of 9 urls")
sys.modules["crawl_ops.jobs.fetch"] = module = ModuleType("fetch")
module.fetch = fetch
sys.modules["crawl_ops.storage.crawl_dir"] = module = ModuleType("crawl_dir")
module.CrawlDir = SimpleNamespace(open=lambda location, create: None)
from crawl_ops.cli.main import main
sys.exit(main(["--json", "fetch", "S"]))
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_fetch_in_good_order(number: signal.Signals, code: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    while "ready" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(number)
    try:
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, out) == (code, "")
    assert "fetch S: 3 of 9 urls" in err
    assert "Traceback" not in err


def test_ctrl_c_ends_a_query_that_would_run_for_ever(tmp_path) -> None:
    crawl = tmp_path / "crawl"
    command = (*COMMAND, "--dir", str(crawl), "-D", "db.fsync=false")
    subprocess.run((*command, "inject", "http://a.example/"), check=True, capture_output=True)
    endless = (
        "select count(*) from range(10000000000) a, range(10000000) b "
        "where a.range * b.range % 7 = 3"
    )
    spill = crawl / "scratch" / "spill"
    if spill.exists():
        spill.rmdir()
    process = subprocess.Popen((*command, "sql", endless), stderr=subprocess.PIPE)
    try:
        while not spill.exists():
            assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert said == b""
