from pathlib import Path

import pytest

from crawl_ops.config.load import FILE_BYTES_MAX, load
from crawl_ops.config.properties import PROPERTIES, CrawlConfig
from crawl_ops.errors import ConfigError


@pytest.fixture
def toml(tmp_path: Path):
    def write(text: str | bytes) -> Path:
        file = tmp_path / "crawl.toml"
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    return write


def refusal(file: Path | None = None, overrides: dict | None = None) -> str:
    with pytest.raises(ConfigError) as refused:
        load(file, overrides)
    message = str(refused.value)
    assert "\n" not in message
    return message


def test_defaults_without_anything() -> None:
    assert load() == CrawlConfig()
    assert load().fetcher.server_delay == 5.0


def test_precedence(toml) -> None:
    file = toml('"fetcher.server.delay" = 2\n"fetcher.threads.fetch" = 7\n')
    config = load(file, {"fetcher.server.delay": "1.5"})
    assert config.fetcher.server_delay == 1.5
    assert config.fetcher.threads_fetch == 7
    assert config.fetcher.threads_per_queue == 1


def test_an_override_of_none_is_not_given(toml) -> None:
    file = toml('"fetcher.min.crawl.delay" = 3\n')
    assert load(file, {"fetcher.min.crawl.delay": None}).fetcher.min_crawl_delay == 3
    assert load(file, {"fetcher.min.crawl.delay": ""}).fetcher.min_crawl_delay is None


@pytest.mark.parametrize(
    "text",
    [
        '"http.agent.name" = "x"\n"http.redirect.max" = 1',
        '[http]\n"agent.name" = "x"\nredirect.max = 1',
        '[http]\nagent = {name = "x"}\n[http.redirect]\nmax = 1',
    ],
)
def test_names_may_be_quoted_or_tables(toml, text: str) -> None:
    config = load(toml(text))
    assert (config.http.agent_name, config.http.redirect_max) == ("x", 1)


@pytest.mark.parametrize("text", ["", "\n# nothing\n", "[http]\n", "\ufeff"])
def test_an_empty_file_is_the_defaults(toml, text: str) -> None:
    assert load(toml(text)) == load()


def test_a_byte_order_mark_and_windows_lines_are_read_over(toml) -> None:
    config = load(toml(b'\xef\xbb\xbf"http.agent.name" = "x"\r\n'))
    assert config.http.agent_name == "x"


@pytest.mark.parametrize(
    ("name", "value", "becomes"),
    [
        ("db.parsemeta.to.crawldb", "a, b c", ("a", "b", "c")),
        ("db.parsemeta.to.crawldb", ["a", "b"], ("a", "b")),
        ("db.parsemeta.to.crawldb", "", ()),
        ("fetcher.store.content", "false", False),
        ("fetcher.threads.fetch", "20", 20),
        ("http.proxy.port", "", None),
        ("http.agent.name", "", ""),
        ("db.fetch.schedule.class", "org.apache.nutch.crawl.AdaptiveFetchSchedule", None),
    ],
)
def test_values_as_text(name: str, value: object, becomes: object) -> None:
    if name == "db.fetch.schedule.class":
        becomes = "AdaptiveFetchSchedule"
    assert load(None, {name: value}).value(name) == becomes


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("fetcher.threads.fetch", 0, "greater than or equal to 1"),
        ("fetcher.threads.fetch", 2001, "less than or equal to 2000"),
        ("fetcher.threads.fetch", "many", "integer"),
        ("fetcher.threads.fetch", 1.5, "integer"),
        ("fetcher.threads.fetch", [1], "integer"),
        ("fetcher.threads.fetch", True, "truth value"),
        ("fetcher.threads.fetch", "", "integer"),
        ("fetcher.server.delay", "nan", "finite"),
        ("fetcher.server.delay", float("inf"), "finite"),
        ("fetcher.server.delay", {"a": 1}, "number"),
        ("fetcher.store.content", "perhaps", "boolean"),
        ("fetcher.queue.mode", "byPage", "byHost"),
        ("http.agent.name", 5, "string"),
        ("http.agent.name", "a\r\nX-Other: b", "pattern"),
        ("http.agent.name", "x" * 201, "200 characters"),
        ("http.proxy.port", 70_000, "65535"),
        ("http.auth.file", ["a"], "path"),
        ("http.auth.file", "a\0b", "file name"),
        ("db.parsemeta.to.crawldb", 5, "tuple"),
        ("db.parsemeta.to.crawldb", [5], "string"),
        ("db.fetch.interval.default", 10**30, "less than or equal to"),
        ("db.fetch.interval.default", 2**31, "2147483647"),
        ("generate.restrict.status", "db_new", "pattern"),
        ("deduplication.compare.order", "score,beauty", "httpsOverHttp"),
        ("deduplication.compare.order", "", "at least 1"),
        ("duckdb.memory_limit", "lots", "pattern"),
    ],
)
def test_an_impossible_value_is_named(name: str, value: object, said: str) -> None:
    message = refusal(None, {name: value})
    assert message.startswith(f"-D: {name}: ")
    assert said in message


def test_the_file_is_named(toml) -> None:
    file = toml('"fetcher.threads.fetch" = 0')
    assert refusal(file).startswith(f"{file}: fetcher.threads.fetch: ")


def test_a_long_value_is_cut_in_the_message() -> None:
    assert len(refusal(None, {"fetcher.threads.fetch": "9" * 100_000})) < 400


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("fetcher.thread.fetch", "fetcher.threads.fetch"),
        ("http.agentname", "http.agent.name"),
        ("generate.topn", "generate.topN"),
    ],
)
def test_an_unknown_property_has_a_hint(toml, name: str, hint: str) -> None:
    file = toml(f'"{name}" = 1')
    assert refusal(file) == f"{file}: unknown property {name!r}; did you mean {hint!r}?"


def test_an_unknown_property_unlike_all_others() -> None:
    assert refusal(None, {"zzz": 1}) == "-D: unknown property 'zzz'"
    assert len(refusal(None, {"z" * 10_000: 1})) < 400


@pytest.mark.parametrize(
    "text",
    [
        '"http.redirect.max" = 1\n"http.redirect.max" = 2',
        "http.redirect.max = 1\nhttp.redirect.max.exceeded.skip = true",
        '"http.redirect.max" = ',
        "http.redirect.max",
        "\0",
        '"http.agent.name" = "\\u0000"',
        "[" * 5000,
        "a = " + "[" * 5000,
    ],
)
def test_what_is_no_toml_is_one_line(toml, text: str) -> None:
    file = toml(text)
    assert refusal(file).startswith(f"{file}: ")


def test_a_name_in_quotes_and_in_a_table_is_given_twice(toml) -> None:
    file = toml('"http.redirect.max" = 1\n[http]\nredirect.max = 2')
    assert "http.redirect.max is given twice" in refusal(file)


def test_tables_are_not_nested_without_end(toml) -> None:
    deep = ".".join("a" * 30)
    assert "nested too deep" in refusal(toml(f"{deep} = 1"))


def test_bytes_that_are_no_text(toml) -> None:
    assert "is not UTF-8 text (byte 5)" in refusal(toml(b'"a" =\xff'))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.toml").startswith(f"{tmp_path / 'none.toml'}: ")
    assert refusal(tmp_path) == f"{tmp_path}: cannot be read: is a folder, where a file is needed"


def test_a_file_without_end_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "crawl.toml"
    with file.open("wb") as stream:
        stream.truncate(FILE_BYTES_MAX + 2)
    assert "so no crawl.toml" in refusal(file)
    assert "so no crawl.toml" in refusal(Path("/dev/zero"))


def test_file_names_are_resolved(toml, tmp_path: Path, monkeypatch) -> None:
    file = toml('"urlfilter.regex.file" = "rules/a.txt"\n"http.auth.file" = "/etc/auth.xml"\n')
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    config = load(file, {"plugin.folders": "plugins"})
    assert config.urlfilter.regex_file == tmp_path / "rules/a.txt"
    assert config.http.auth_file == Path("/etc/auth.xml")
    assert config.plugin.folders == elsewhere / "plugins"
    assert load(file, {"urlfilter.regex.file": " "}).urlfilter.regex_file is None


def test_a_relative_crawl_toml(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "crawl.toml").write_text('"urlfilter.regex.file" = "a.txt"')
    monkeypatch.chdir(tmp_path)
    assert load(Path("crawl.toml")).urlfilter.regex_file == tmp_path / "a.txt"


@pytest.mark.parametrize("name", sorted(PROPERTIES))
def test_every_default_is_allowed_and_every_name_can_be_set(name: str) -> None:
    default = load().value(name)
    assert load(None, {name: default}).value(name) == default
    assert name in refusal(None, {name: [{}]})
