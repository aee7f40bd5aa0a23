"""What is wrong before a crawl begins is told before anything is made."""

import pytest

from crawl_ops.config.load import load
from crawl_ops.errors import ConfigError, SeedError
from crawl_ops.jobs.preflight import preflight


def test_nothing_is_wrong(tmp_path):
    (tmp_path / "seeds.txt").write_text("http://a.test/\n")
    preflight(load(None, {"http.agent.name": "me"}), tmp_path / "seeds.txt")
    preflight(load(None, {"http.agent.name": "me"}), ["http://a.test/"])
    preflight(load(), None, fetches=False)
    assert [path.name for path in tmp_path.iterdir()] == ["seeds.txt"], "nothing is made"


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({}, r"http\.agent\.name: must be set"),
        (
            {"http.agent.name": "me", "urlfilter.order": "no_such"},
            "urlfilter.order: unknown plug-in",
        ),
        ({"http.agent.name": "me", "urlfilter.regex.file": "nowhere.txt"}, r"nowhere\.txt"),
    ],
)
def test_a_configuration_that_cannot_work_is_refused(properties, message):
    with pytest.raises(ConfigError, match=message):
        preflight(load(None, properties), ["http://a.test/"])


def test_missing_seeds_are_named(tmp_path):
    with pytest.raises(SeedError, match=r"nope\.txt: cannot be read"):
        preflight(load(None, {"http.agent.name": "me"}), tmp_path / "nope.txt")
