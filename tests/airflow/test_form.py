"""The params of a run: what the schema lets through, and which properties they become."""

import pytest
from airflow.sdk.definitions.param import ParamsDict
from airflow.sdk.exceptions import ParamValidationError

from crawl_ops.config.properties import PROPERTIES
from crawl_ops.errors import ConfigError
from crawl_ops.operators.form import PROPERTY_OF, params, properties_of

SEEDS = {"seeds": ["https://site.example/"]}


def validated(conf, max_depth=10):
    given = ParamsDict(params(max_depth))
    given.update(conf)
    given.validate()
    return given.dump()


@pytest.mark.parametrize(
    "conf",
    [
        {},
        {"delay": 0.25},
        {"delay": 1},
        {"delay": None},
        {"url_filter": ""},
        {"url_filter": "+^https://a\\.example/\n-."},
        {"hosts": None},
        {"hosts": []},
        {"hosts": ["a.test"]},
        {"depth": 1},
        {"depth": 10},
        {"topn": None},
        {"fetch_lists": 256},
        {"crawl_id": ""},
        {"crawl_id": "news-2026.1"},
        {"seeds": ["include/seeds"]},
        {"seeds": []},
        {"seeds": ["# a comment", "", "https://a.test/\tnutch.score=2"]},
        {"seeds": ["/srv/my seeds/list.txt"]},
        {"url_filter": "# a comment\n\n-[.]pdf$\n+."},
        {"config": ""},
        {"config": "news.toml"},
        {"config": "sites/news.toml"},
        {"redo": None},
        {"hosts": ["a.test", "127.0.0.1"]},
        {"properties": {"http.timeout": 5000}},
        {"properties": None},
    ],
)
def test_accepted(conf):
    assert validated(conf).items() >= conf.items()


@pytest.mark.parametrize(
    ("conf", "told"),
    [
        ({"depth": "3"}, "'3' is not of type 'integer'"),
        ({"depth": "three"}, "'three' is not of type 'integer'"),
        ({"depth": 0}, "0 is less than the minimum of 1"),
        ({"depth": -1}, "-1 is less than the minimum of 1"),
        ({"depth": 1_000_000_000}, "1000000000 is greater than the maximum of 10"),
        ({"depth": 1.5}, "1.5 is not of type 'integer'"),
        ({"depth": None}, "None is not of type 'integer'"),
        ({"delay": -0.1}, "-0.1 is less than the minimum of 0"),
        ({"delay": "fast"}, "'fast' is not of type 'null', 'number'"),
        ({"topn": 0}, "0 is less than the minimum of 1"),
        ({"fetch_lists": 257}, "257 is greater than the maximum of 256"),
        ({"crawl_id": "../elsewhere"}, "does not match"),
        ({"crawl_id": "a/b"}, "does not match"),
        ({"hosts": "a.test"}, "'a.test' is not of type 'null', 'array'"),
        ({"crawl_id": "a b"}, "does not match"),
        ({"config": "../secret.toml"}, "does not match"),
        ({"config": "/etc/passwd"}, "does not match"),
        ({"hosts": ["not a host!"]}, "'not a host!' does not match"),
        ({"hosts": ["https://a.test/"]}, "does not match"),
        ({"url_filter": "^https://a[.]test/"}, "does not match"),
        ({"url_filter": "+.\nno rule"}, "does not match"),
        ({"seeds": ["not a url"]}, "'not a url' does not match"),
        ({"seeds": ["https://a.test/", "example.org"]}, "'example.org' does not match"),
        ({"redo": "some"}, "is not one of"),
        ({"on_findings": "go"}, "is not one of"),
        ({"seeds": None}, "None is not of type 'array'"),
        ({"seeds": "include/seeds"}, "'include/seeds' is not of type 'array'"),
        ({"properties": ["http.timeout"]}, "is not of type 'object', 'null'"),
    ],
)
def test_refused_with_a_reason(conf, told):
    with pytest.raises(ParamValidationError, match="Invalid input for param") as error:
        validated(conf)
    assert told in str(error.value)


@pytest.mark.parametrize("max_depth", [1, 2, 100])
def test_defaults_hold_for_every_max_depth(max_depth):
    assert validated({}, max_depth)["depth"] == min(3, max_depth)


def test_every_field_is_explained():
    for name, param in params(10).items():
        assert param.schema["title"], name
        assert param.description, name


def test_the_main_fields_have_no_section():
    sections = {name: param.schema.get("section") for name, param in params(10).items()}
    assert [name for name, section in sections.items() if section is None] == [
        "seeds",
        "depth",
        "topn",
    ]


def test_params_name_properties_that_there_are():
    assert set(PROPERTY_OF.values()) <= set(PROPERTIES)


@pytest.mark.parametrize("empty", [None, ""])
def test_missing_null_and_empty_are_the_same(empty):
    fields = {"agent": empty, "url_filter": empty, "delay": None, "hosts": None}
    assert properties_of(validated({**SEEDS, **fields})) == {}
    assert properties_of(validated(SEEDS)) == {}


def test_fields_become_properties_and_properties_win():
    conf = {**SEEDS, "delay": 0.25, "agent": "us", "properties": {"http.agent.name": "them"}}
    assert properties_of(validated(conf)) == {
        "fetcher.server.delay": 0.25,
        "http.agent.name": "them",
    }


def test_hosts_are_a_filter_behind_those_of_crawl_toml(monkeypatch, tmp_path):
    file = tmp_path / "crawl.toml"
    file.write_text('"urlfilter.order" = ["prefix", "regex"]\n')
    monkeypatch.setenv("CRAWL_CONFIG", str(file))
    assert properties_of(validated({**SEEDS, "hosts": ["a.test", "b.test"]})) == {
        "urlfilter.domain.rules": "a.test\nb.test",
        "urlfilter.order": ["prefix", "regex", "domain"],
    }


def test_a_file_outside_include_is_refused(monkeypatch, tmp_path):
    (tmp_path / "include").mkdir()
    (tmp_path / "secret.toml").write_text("")
    monkeypatch.setenv("CRAWL_HOME", str(tmp_path))
    with pytest.raises(ConfigError, match=r"no file .*secret\.toml. in include/"):
        properties_of(validated({**SEEDS, "hosts": ["a.test"], "config": "a/../../secret.toml"}))
