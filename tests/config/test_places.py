"""Folders of crawls and configuration files."""

import pytest

from crawl_ops.config.places import config_file, crawl_dir, home
from crawl_ops.errors import ConfigError


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "include").mkdir()
    monkeypatch.setenv("CRAWL_HOME", str(tmp_path))
    monkeypatch.delenv("CRAWL_CONFIG", raising=False)
    return tmp_path


def test_crawls_are_in_the_store(monkeypatch):
    monkeypatch.setenv("CRAWL_STORE", "/srv/crawls/")
    assert crawl_dir("crawl") == "/srv/crawls/crawl"
    assert crawl_dir("news") == "/srv/crawls/news"


def test_a_store_that_is_no_folder_is_refused(monkeypatch):
    monkeypatch.setenv("CRAWL_STORE", "s3://bucket/crawls/")
    with pytest.raises(ConfigError, match="CRAWL_STORE: s3://bucket/crawls/: give a folder"):
        crawl_dir("crawl")


def test_without_a_store_they_are_in_the_project(project, monkeypatch):
    monkeypatch.delenv("CRAWL_STORE", raising=False)
    assert home() == project
    assert crawl_dir("crawl") == str(project / "crawl")
    assert crawl_dir("news") == str(project / "crawls" / "news")


@pytest.mark.parametrize("crawl_id", ["", "..", "../x", "a/b", ".hidden", "-x", "a\n", "x" * 65])
def test_a_crawl_id_cannot_leave_the_store(crawl_id):
    with pytest.raises(ConfigError, match="is no plain name"):
        crawl_dir(crawl_id)


def test_config_file_is_the_named_one_else_the_environments_else_the_usual(project, monkeypatch):
    assert config_file() is None
    for name in ("crawl.toml", "news.toml"):
        (project / "include" / name).write_text("")
    assert config_file() == project / "include" / "crawl.toml"
    monkeypatch.setenv("CRAWL_CONFIG", str(project / "other.toml"))
    assert config_file() == project / "other.toml"
    assert config_file("news.toml") == project / "include" / "news.toml"


@pytest.mark.parametrize("name", ["../secret.toml", "none.toml", "/etc/passwd", "."])
def test_a_config_outside_include_or_missing_is_refused(name, project):
    (project / "secret.toml").write_text("")
    with pytest.raises(ConfigError, match="there is no file"):
        config_file(name)
