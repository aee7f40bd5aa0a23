"""Links that leave a site or stay inside it."""

import pytest

from crawl_ops.config.load import load
from crawl_ops.urls.identity import UrlIdentifier
from crawl_ops.urls.linkscope import LinkScope

SITE = UrlIdentifier(1).identify
HERE = SITE("http://www.a.com/x")
SAME_HOST = SITE("https://www.a.com/y")
SAME_DOMAIN = SITE("http://news.a.com/")
ELSEWHERE = SITE("http://b.com/")
NOWHERE = SITE("mailto:x@a.com")


def scope(**properties):
    return LinkScope(load(None, {f"db.{k.replace('_', '.')}": v for k, v in properties.items()}))


def test_by_default_every_link_counts():
    for target in (SAME_HOST, SAME_DOMAIN, ELSEWHERE):
        assert scope().rejects(HERE, target) is None
        assert scope().rejects_redirect(HERE, target) is None


@pytest.mark.parametrize(
    ("mode", "target", "kept"),
    [
        ("byHost", SAME_HOST, True),
        ("byHost", SAME_DOMAIN, False),
        ("byHost", ELSEWHERE, False),
        ("byHost", NOWHERE, False),
        ("byDomain", SAME_HOST, True),
        ("byDomain", SAME_DOMAIN, True),
        ("byDomain", ELSEWHERE, False),
        ("byDomain", NOWHERE, False),
    ],
)
def test_external_links(mode, target, kept):
    site = scope(ignore_external_links=True, ignore_external_links_mode=mode)
    for reason in (site.rejects(HERE, target), site.rejects_redirect(HERE, target)):
        assert (reason is None) is kept
        assert kept or "db.ignore.external.links" in reason


@pytest.mark.parametrize(
    ("mode", "target", "kept"),
    [
        ("byHost", SAME_HOST, False),
        ("byHost", SAME_DOMAIN, True),
        ("byDomain", SAME_DOMAIN, False),
        ("byDomain", ELSEWHERE, True),
    ],
)
def test_internal_links(mode, target, kept):
    site = scope(ignore_internal_links=True, ignore_external_links_mode=mode)
    reason = site.rejects(HERE, target)
    assert (reason is None) is kept
    assert kept or "db.ignore.internal.links" in reason


def test_internal_redirects_are_by_host_whatever_the_mode():
    site = scope(ignore_internal_links=True, ignore_external_links_mode="byDomain")
    assert site.rejects_redirect(HERE, SAME_DOMAIN) is None
    assert site.rejects_redirect(HERE, SAME_HOST) is not None


def test_redirects_only_count_when_asked():
    site = scope(ignore_external_links=True, ignore_also_redirects=False)
    assert site.rejects_redirect(HERE, ELSEWHERE) is None
    assert site.rejects(HERE, ELSEWHERE) is not None


def test_the_reason_names_the_other_host():
    reason = scope(ignore_external_links=True).rejects(HERE, ELSEWHERE)
    assert reason == "db.ignore.external.links: another host (b.com)"
