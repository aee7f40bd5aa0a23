"""db.ignore.external.exemptions.file: links that may leave the host all the same."""

import pytest

from crawl_ops.config.load import load
from crawl_ops.errors import ConfigError
from crawl_ops.urls.identity import UrlIdentifier
from crawl_ops.urls.linkscope import LinkScope

SITE = UrlIdentifier(1).identify
HERE, IMAGE, PAGE = "http://www.a.com/x", "http://cdn.b.com/x.jpg", "http://b.com/page"


def scope(tmp_path, rules, **properties):
    file = tmp_path / "exemptions.txt"
    file.write_text(rules)
    named = {f"db.ignore.{name.replace('_', '.')}": value for name, value in properties.items()}
    given = {"db.ignore.external.links": True, "db.ignore.external.exemptions.file": str(file)}
    return LinkScope(load(None, given | named))


def kept(site, url):
    one = site.rejects(SITE(HERE), SITE(url), url) is None
    assert one == (site.rejects_redirect(SITE(HERE), SITE(url), url) is None)
    return one


def test_what_a_rule_accepts_may_leave(tmp_path):
    site = scope(tmp_path, "# images\n-private\n+(?i)\\.(jpg|png)$\n")
    assert kept(site, IMAGE)
    assert not kept(site, PAGE)
    assert not kept(site, "http://cdn.b.com/private.jpg")
    assert not kept(site, "mailto:x.jpg")


def test_only_in_mode_by_host(tmp_path):
    site = scope(tmp_path, "+.", external_links_mode="byDomain")
    assert not kept(site, IMAGE)


def test_without_a_file_nothing_is_exempt(tmp_path):
    assert not kept(scope(tmp_path, ""), IMAGE)
    site = LinkScope(load(None, {"db.ignore.external.links": True}))
    assert not kept(site, IMAGE)


def test_a_bad_rule_names_its_line(tmp_path):
    with pytest.raises(ConfigError, match=r"exemptions\.txt:2: "):
        scope(tmp_path, "+a\n+(\n")
