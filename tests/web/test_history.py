"""A crawl across its runs."""

from datetime import timedelta

from crawl_ops.web import history as module
from crawl_ops.web.history import Changes, history

URLS = [f"http://a.example/{n}" for n in range(6)]


def two_days(made) -> None:
    made.seeds(URLS)
    first = made.generate()
    made.fetch(first, {URLS[5]: "fetch_retry"})
    made.update(first)
    made.now += timedelta(days=40)
    made.run_id = "scheduled__second"
    second = made.generate()
    outcomes = {URLS[0]: "fetch_gone", URLS[1]: "fetch_notmodified", URLS[4]: "fetch_redir_perm"}
    made.fetch(second, outcomes, pages={URLS[2]: b"2" * 16})
    made.update(second)


def test_days_and_runs(made) -> None:
    two_days(made)
    runs = [made.run("success"), made.run("success", run_id="manual__2026-03-01T12:00:00+00:00")]
    found = history(made.crawl, made.config(), runs, Changes())
    first = {"pages": 6, "new": 5, "changed": 0, "same": 0, "redirect": 0, "gone": 0, "failed": 1}
    second = {"pages": 6, "new": 1, "changed": 1, "same": 2, "redirect": 1, "gone": 1, "failed": 0}
    assert found["days"] == [{"day": "2026-03-01", **first}, {"day": "2026-04-10", **second}]
    assert [{key: run[key] for key in second} for run in found["runs"]] == [second, first]
    assert [run["depths"] for run in found["runs"]] == [1, 1]
    assert (found["segments"], found["read"]) == (2, 2)


def test_a_depth_done_again_counts_once_in_its_run_and_a_page_never_had_may_be_gone(made) -> None:
    made.seeds(URLS)
    first = made.generate()
    made.fetch(first, {URLS[5]: "fetch_retry", URLS[4]: "fetch_gone"})
    made.update(first)
    made.now += timedelta(minutes=1)
    again = made.generate()
    made.fetch(again)
    made.update(again)
    changes = Changes()
    found = history(made.crawl, made.config(), [made.run("success")], changes)
    run = {name: n for name, n in found["runs"][0].items() if isinstance(n, int) and n}
    assert run == {"depths": 1, "pages": 6, "new": 5, "gone": 1}
    assert (found["days"][0]["pages"], found["days"][0]["failed"]) == (7, 1)
    assert history(made.crawl, made.config(), [made.run("success")], changes) == found


def test_finished_segments_are_read_once(made, monkeypatch) -> None:
    two_days(made)
    changes = Changes()
    before = history(made.crawl, made.config(), [], changes)
    monkeypatch.setattr(module, "_days", lambda *_: 1 / 0)
    assert history(made.crawl, made.config(), [], changes) == before


def test_an_open_segment_is_read_again(made) -> None:
    made.seeds(URLS)
    segment = made.generate()
    made.fetch(segment, most=2, finish=False)
    changes = Changes()
    assert history(made.crawl, made.config(), [], changes)["days"][0]["pages"] == 2
    made.fetch(segment, attempt="b")
    assert history(made.crawl, made.config(), [], changes)["days"][0]["pages"] == 6


def test_what_takes_too_long_follows_when_asked_again(made, monkeypatch) -> None:
    two_days(made)
    changes = Changes()
    monkeypatch.setattr(module, "BUDGET_S", -1.0)
    assert history(made.crawl, made.config(), [], changes)["read"] == 0
    monkeypatch.setattr(module, "BUDGET_S", 60.0)
    assert history(made.crawl, made.config(), [], changes)["read"] == 2
    monkeypatch.setattr(module, "BUDGET_S", -1.0)
    assert history(made.crawl, made.config(), [], changes)["read"] == 2


def test_the_page_and_its_data(made, client) -> None:
    two_days(made)
    page = client(made.run("success"))
    assert page.get("/runs").status_code == 200
    (crawl,) = page.get("/runs/crawls").json()["crawls"]
    assert crawl["dags"] == ["crawl"]
    assert str(made.crawl.root) not in crawl["token"]
    found = page.get("/runs/history", params={"crawl": crawl["token"]}).json()
    assert len(found["days"]) == 2
    for wrong in ("x", str(made.crawl.root), "../../etc"):
        assert page.get("/runs/history", params={"crawl": wrong}).status_code == 404
