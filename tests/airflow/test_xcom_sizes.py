"""What a depth of 5,000 hosts and 200,000 due URLs hands on: small XComs, bounded mapped tasks."""

import json
from types import SimpleNamespace

import pytest

from crawl_ops.operators.generate import MAX_LISTS, GenerateOperator
from crawl_ops.operators.inject import InjectOperator
from crawl_ops.operators.list_operator import ListOperator
from crawl_ops.storage.crawl_dir import CrawlDir

HOSTS, PAGES = 5_000, 40
PROPERTIES = {"http.agent.name": "testbot", "duckdb.threads": 1, "urlfilter.regex.rules": "+."}

pytestmark = pytest.mark.whole


class Step:
    """A task run as the runner would; what it pushes and returns, by key."""

    def __init__(self, given=None):
        self.xcoms = {}
        self.given = given or {}

    def xcom_push(self, key, value):
        self.xcoms[key] = value

    def xcom_pull(self, task_ids, key):
        return self.given.get(key)

    def run(self, task):
        run = SimpleNamespace(run_id="manual__big", conf={}, clear_number=0)
        dag = SimpleNamespace(params={})
        context = {"ti": self, "dag_run": run, "dag": dag}
        self.xcoms["return_value"] = task.execute(context)
        return self.xcoms


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    folder = tmp_path_factory.mktemp("big")
    seeds = folder / "seeds.txt"
    with seeds.open("w") as lines:
        lines.writelines(
            f"http://host{host}.example/{page}\n" for host in range(HOSTS) for page in range(PAGES)
        )
    crawl = {"crawl_dir": str(folder / "crawl"), "properties": PROPERTIES}
    injected = Step().run(InjectOperator(task_id="inject", seeds=str(seeds), **crawl))
    wanted = {"num_fetchers": MAX_LISTS, "topn": HOSTS * PAGES}
    task = GenerateOperator(task_id="generate", after="inject", **wanted, **crawl)
    return crawl["crawl_dir"], injected, Step(injected).run(task)


def test_the_lists_are_bounded_and_hold_everything(steps):
    folder, injected, generated = steps
    assert injected["return_value"]["counts"]["injected"] == HOSTS * PAGES
    lists = generated["return_value"]
    assert len(lists) == MAX_LISTS
    assert generated["report"]["counts"]["urls"] == HOSTS * PAGES
    info = CrawlDir.open(folder).segment(generated["segment"]).info()
    sizes = [(one["urls"], one["hosts"]) for one in info["lists"]]
    assert sum(hosts for _, hosts in sizes) == HOSTS  # no host is in two lists
    assert max(urls for urls, _ in sizes) <= 1.1 * min(urls for urls, _ in sizes)
    labels = [ListOperator(task_id="t", segment="s", manifest=one).label for one in lists]
    assert len(set(labels)) == MAX_LISTS


def test_no_xcom_is_large_or_holds_a_url(steps):
    for xcoms in steps[1:]:
        for key, value in xcoms.items():
            text = json.dumps(value)
            assert len(text) < 4096, key
            assert ".example" not in text, key
