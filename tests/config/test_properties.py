import json

import pytest
from pydantic import ValidationError

from crawl_ops.config.load import load
from crawl_ops.config.properties import GROUPS, PROPERTIES, CrawlConfig


def test_names_are_unique_and_nutch_s() -> None:
    count = sum(len(model.model_fields) for model in GROUPS.values())
    assert len(PROPERTIES) == count > 150
    for name in (
        "fetcher.server.delay",
        "generate.topN",
        "db.ignore.external.links",
        "http.agent.name",
        "partition.url.mode",
        "parser.html.outlinks.ignore_tags",
        "urlnormalizer.basic.host.trim-trailing-dot",
    ):
        assert name in PROPERTIES


def test_every_property_says_what_it_means() -> None:
    for group, model in GROUPS.items():
        assert model.__doc__, group
        for name, field in model.model_fields.items():
            assert field.description, (group, name)
            assert field.description.endswith("."), (group, name)


def test_every_number_has_bounds() -> None:
    for group, model in GROUPS.items():
        for name, field in model.model_fields.items():
            if field.annotation in (int, float, int | None, float | None):
                low = [m for m in field.metadata if hasattr(m, "ge") or hasattr(m, "gt")]
                high = [m for m in field.metadata if hasattr(m, "le") or hasattr(m, "lt")]
                assert low, (group, name)
                assert high, (group, name)


def test_a_configuration_is_frozen() -> None:
    config = load(None, {"http.agent.name": "x"})
    with pytest.raises(ValidationError):
        config.http.agent_name = "y"
    with pytest.raises(ValidationError):
        config.http = config.http
    with pytest.raises(ValidationError):
        CrawlConfig(htpp=config.http)


def test_the_values_can_be_written_as_json() -> None:
    config = load(None, {"http.auth.file": "a.xml", "http.robots.agents": "a,b"})
    plain = config.as_properties()
    assert plain.keys() == PROPERTIES.keys()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["http.robots.agents"] == ["a", "b"]


def test_a_password_is_not_stored() -> None:
    config = load(None, {"http.proxy.password": "secret"})
    assert config.http.proxy_password == "secret"
    assert config.as_properties()["http.proxy.password"] == "***"
    assert load().as_properties()["http.proxy.password"] == ""


def test_an_unknown_name_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        load().value("http.nothing")
