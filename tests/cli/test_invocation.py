"""The configuration that a crawl is looked at with."""

from pathlib import Path
from types import SimpleNamespace

from crawl_ops.cli.invocation import Invocation
from crawl_ops.config.load import load


def crawl_made_with(properties):
    kept = load(None, properties).as_properties()
    manifest = SimpleNamespace(config=kept)
    return SimpleNamespace(table=lambda name: SimpleNamespace(current=lambda: manifest))


def test_without_a_config_the_rules_of_the_last_commit_hold():
    crawl = crawl_made_with({"urlfilter.regex.rules": "-month=\n+.", "http.agent.name": "me"})
    config = Invocation("c").config_of(crawl)
    assert config.urlfilter.regex_rules == "-month=\n+."
    assert config.http.agent_name == "me"


def test_a_property_given_goes_over_it():
    crawl = crawl_made_with({"fetcher.server.delay": 3, "http.agent.name": "me"})
    config = Invocation("c", {"fetcher.server.delay": "7"}).config_of(crawl)
    assert (config.fetcher.server_delay, config.http.agent_name) == (7.0, "me")


def test_a_config_file_given_is_the_one(tmp_path: Path):
    file = tmp_path / "crawl.toml"
    file.write_text('"http.agent.name" = "you"\n')
    crawl = crawl_made_with({"fetcher.server.delay": 3, "http.agent.name": "me"})
    config = Invocation("c", config_file=file).config_of(crawl)
    assert (config.fetcher.server_delay, config.http.agent_name) == (5.0, "you")


def test_hidden_secrets_and_unknown_properties_are_left_out():
    crawl = crawl_made_with({"http.proxy.password": "secret", "http.agent.name": "me"})
    crawl.table("crawldb").current().config["from.a.newer.version"] = 1
    config = Invocation("c").config_of(crawl)
    assert config.http.proxy_password == ""


def test_a_new_crawl_has_the_defaults():
    empty = SimpleNamespace(
        table=lambda name: SimpleNamespace(current=lambda: SimpleNamespace(config={}))
    )
    assert Invocation("c").config_of(empty) == load()
