"""A day at the screen: a form filled in, a crawl watched, a depth done again, questions asked.

By clicks and keys alone; Airflow's API is only asked what it says of them. With
CRAWL_SCREENSHOTS=docs/images the pictures of the documentation are made anew.
"""

import time
from collections import Counter
from types import SimpleNamespace
from urllib.parse import quote

import pytest

pytestmark = [pytest.mark.whole, pytest.mark.timeout(600)]

DEPTH = 2
FIELDS = {
    "db_fetched": "Fetched",
    "db_duplicate": "Fetched",
    "db_redir_perm": "Redirects",
    "db_redir_temp": "Redirects",
    "db_unfetched": "To be retried",
    "db_gone": "Gone",
}


@pytest.fixture(scope="module")
def expected(site) -> SimpleNamespace:
    """What a crawl of two rounds comes to, by include/demo_site/expected.json."""
    pages = {url: page for url, page in site.expected()["pages"].items() if page["status"]}
    of_round = {
        number: Counter(
            FIELDS[page["status"]] for page in pages.values() if page["round"] == number
        )
        for number in range(1, DEPTH + 1)
    }
    failed = {
        url
        for url, page in pages.items()
        if page["round"] == DEPTH and page["status"] == "db_unfetched"
    }
    known = sum(page["first_seen"] <= DEPTH for page in pages.values())
    return SimpleNamespace(of_round=of_round, failed=failed, known=known)


@pytest.fixture(scope="module")
def run_id(server, site, open_screen, refusals) -> str:
    """A crawl of the demo site, triggered from the form."""
    screen = open_screen()
    dialog = screen.form()
    screen.type(dialog.locator("[name=element_depth]"), str(DEPTH))
    dialog.locator("[name=element_seeds]").fill("\n".join(site.seeds))
    screen.picture("form")
    dialog.get_by_role("button", name="Fetching").click()
    screen.type(dialog.locator("[name=element_delay]"), "0.5")
    dialog.get_by_role("button", name="Crawl folder and configuration").click()
    screen.type(dialog.locator("[name=element_crawl_id]"), "demo")
    dialog.get_by_role("button", name="Trigger", exact=True).click()
    screen.page.wait_for_url("**/dags/crawl/runs/**")
    screen.page.close()
    assert screen.faults == []
    (run,) = server.runs()
    return str(run["dag_run_id"])


@pytest.fixture(scope="module")
def refusals(server, open_screen) -> dict[str, str]:
    """What the form said of values that are none, by field; nothing was triggered."""
    screen = open_screen()
    dialog = screen.form()
    told = {}
    depth = dialog.locator("[name=element_depth]")
    for given in ("0", "-1", "99"):
        told[f"depth {given}"] = screen.type(depth, given)
    told["depth letters"] = screen.type(depth, "three")
    told["required"] = dialog.inner_text()
    assert dialog.get_by_role("button", name="Trigger", exact=True).is_disabled()
    screen.type(depth, str(DEPTH))
    for section, field, given in (
        ("", "seeds", "not a url"),
        ("Scope", "hosts", "not a host!"),
        ("Scope", "url_filter", "no rule"),
        ("Crawl folder", "crawl_id", "../elsewhere"),
        ("Crawl folder", "config", "../secret.toml"),
    ):
        place = dialog.locator(f"[name=element_{field}]")
        if not place.is_visible():
            dialog.get_by_role("button", name=section).click()
        good = place.input_value()
        place.fill(given)
        # By key: Airflow's note of the refusal before may lie over the button.
        dialog.get_by_role("button", name="Trigger", exact=True).press("Enter")
        reason = dialog.get_by_text(f"Invalid input for param {field}")
        reason.wait_for()
        told[field] = reason.inner_text()
        if field == "seeds":
            reason.scroll_into_view_if_needed()
            screen.picture("form_refused")
        place.fill(good)
    screen.page.close()
    assert screen.faults == []
    assert server.runs() == []
    return told


def test_the_form_refuses_what_cannot_be(refusals) -> None:
    assert refusals["depth 0"] == refusals["depth -1"] == "1"
    assert refusals["depth 99"] == str(DEPTH)
    assert refusals["depth letters"] == ""
    assert "This field is required" in refusals["required"]
    for field, given in (
        ("seeds", "not a url"),
        ("hosts", "not a host!"),
        ("url_filter", "no rule"),
        ("crawl_id", "../elsewhere"),
        ("config", "../secret.toml"),
    ):
        assert f"Invalid input for param {field}: '{given}' does not match" in refusals[field]


@pytest.fixture(scope="module")
def watched(server, open_screen, run_id, expected) -> list[str]:
    """The rows of the table of depths, as they were told while the crawl went on."""
    screen = open_screen()
    screen.run(run_id)
    tab = screen.tab()
    tab.locator("#hosts-now .bar").wait_for()
    tab.locator("#depths tbody tr:nth-child(2)").wait_for()
    rows = [tab.locator("#depths tbody").inner_text()]
    if screen.pictures:  # with something to see in them
        screen.page.wait_for_timeout(5_000)
    screen.picture("crawl_tab")
    screen.page.emulate_media(color_scheme="dark")
    tab.locator('html[data-theme="dark"]').wait_for(state="attached")
    screen.picture("crawl_tab_dark")
    screen.page.emulate_media(color_scheme="light")
    tab.locator('#run-state[data-state="success"]').wait_for()
    rows.append(tab.locator("#depths tbody").inner_text())
    table = _table(tab)
    for number, counts in expected.of_round.items():
        for field, count in counts.items():
            assert table[number - 1][field] == str(count), (number, field)
    assert [row["State"] for row in table] == ["done"] * DEPTH
    asked = sum(counts.total() for counts in expected.of_round.values())
    assert f"Pages asked for\n{asked}\n" in tab.locator("#tiles").inner_text()
    assert tab.locator("#totals .big").inner_text().startswith(f"{expected.known} on 3 hosts")
    screen.picture("grid")
    screen.page.close()
    assert screen.faults == []
    return rows


def _table(tab) -> list[dict[str, str]]:
    names = tab.locator("#depths thead th").all_inner_texts()
    return [
        dict(zip(names, row.locator("th, td").all_inner_texts(), strict=True))
        for row in tab.locator("#depths tbody tr").all()
    ]


def test_a_crawl_is_watched_from_its_first_page_to_its_end(watched) -> None:
    live, ended = watched
    assert "fetching" in live
    assert "fetching" not in ended


@pytest.fixture(scope="module")
def redone(server, site, open_screen, run_id, watched) -> SimpleNamespace:
    """Depth 2 cleared in the grid; what the site was asked for then, and tasks before and after."""
    before, asked = server.tasks(run_id), len(site.requests)
    screen = open_screen()
    screen.run(run_id)
    screen.page.get_by_test_id(f"grid-{run_id}-depth_02").click()
    # Until the group is shown, the button would clear the whole run.
    screen.page.wait_for_url("**/tasks/group/depth_02")
    screen.page.get_by_text("Total Success").wait_for()
    dialog = screen.clear("Clear Task Instances: depth_02", "depth_02.updatedb")
    screen.picture("clear_depth")
    dialog.get_by_role("button", name="Confirm").click()
    dialog.wait_for(state="detached")
    server.until(run_id, "success")
    screen.run(run_id)
    tab = screen.tab()
    tab.locator("#depths tbody tr:nth-child(3)").wait_for()
    depths = [row["Depth"] for row in _table(tab)]
    screen.page.close()
    assert screen.faults == []
    return SimpleNamespace(
        before=before,
        after=server.tasks(run_id),
        requests={request.url for request in site.requests[asked:]},
        depths=depths,
    )


def test_a_depth_that_is_cleared_asks_for_what_failed_in_it(redone, expected) -> None:
    assert redone.depths == ["1", "2", "2 (again 1)"]
    pages = {url for url in redone.requests if not url.endswith("/robots.txt")}
    assert pages == expected.failed
    again = {name for name, task in redone.after.items() if task != redone.before.get(name)}
    assert {"depth_02.generate[-1]", "depth_02.updatedb[-1]", "dedup[-1]"} <= again
    assert not {name for name in again if name.startswith(("inject", "depth_01"))}


def test_a_rule_that_is_no_regex_fails_the_run_at_once(server, screen, redone) -> None:
    dialog = screen.form()
    dialog.get_by_role("button", name="Scope").click()
    dialog.locator("[name=element_url_filter]").fill("+(")
    dialog.get_by_role("button", name="Trigger", exact=True).click()
    screen.page.wait_for_url("**/dags/crawl/runs/**")
    run_id = server.runs()[0]["dag_run_id"]
    server.until(run_id, "failed")
    assert server.tasks(run_id)["inject[-1]"]["try_number"] == 1
    screen.page.get_by_test_id(f"grid-{run_id}-inject").click()
    screen.page.wait_for_url("**/tasks/inject*")
    reason = screen.page.get_by_text("urlfilter.regex.rules").first
    screen.until_shown(reason)
    assert reason.inner_text().count("'(' is no regular expression: missing ), unterminated") == 1
    screen.picture("failed_task", clip={"x": 0, "y": 0, "width": 1280, "height": 377})
    screen.run(run_id)
    dialog = screen.clear("Clear Dag Run", "inject")
    dialog.get_by_role("button", name="Clear only failed tasks").click()
    dialog.get_by_text("inject", exact=True).wait_for()
    screen.picture("clear_run")


def test_everything_on_the_tab_is_reached_by_keyboard(site, screen, run_id, watched) -> None:
    page = screen.page
    page.goto(screen.server.url + path_of(run_id))
    page.locator("#depths tbody tr").first.wait_for()
    page.focus("#tab-progress")
    page.keyboard.press("ArrowRight")
    page.locator("#hosts-found tbody tr").nth(2).wait_for()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "url-text"
    page.keyboard.type("lighthouse<img src=x onerror=alert(1)>")
    page.keyboard.press("Enter")
    page.locator("#url-found table").wait_for()
    page.keyboard.press("Control+A")
    page.keyboard.type(f"{site.seeds[1]}weather-station")
    page.keyboard.press("Enter")
    page.locator("#url-found table").nth(1).wait_for()
    assert "weather-station" in page.inner_text("#url-found h2")
    for told in ("db_unfetched", "fetch_retry", "http 500"):
        assert told in page.inner_text("#url-found")
    screen.picture("crawl_explain")
    page.focus("#tab-url")
    page.keyboard.press("ArrowRight")
    page.locator("#search-found .hits li").first.wait_for()
    page.focus("#search-query")
    page.keyboard.type("puddles")
    page.keyboard.press("Enter")
    page.locator("#search-found .hits li h3").get_by_text("An Atlas of Puddles").wait_for()
    page.focus("#tab-search")
    page.keyboard.press("ArrowRight")
    page.locator("#segments-found tbody tr").nth(1).wait_for()
    page.keyboard.press("End")
    page.locator("#configuration-found tbody tr").first.wait_for()
    assert "http.agent.name" in page.inner_text("#configuration-found")
    assert page.locator("img[src=x]").count() == 0


def path_of(run_id: str) -> str:
    return f"/crawl/run/crawl/{quote(run_id, safe='')}"


def test_a_task_opens_its_own_segment(screen, run_id, redone) -> None:
    screen.run(run_id, "/tasks/depth_02.generate")
    screen.page.get_by_role("link", name="Details", exact=True).click()
    link = screen.page.get_by_role("link", name="Segment", exact=True)
    segment = link.get_attribute("href").rpartition("/")[2]
    screen.picture("task_links")
    link.click()
    tab = screen.page.frame_locator("iframe[title=Crawl]")
    tab.locator("#segments-found h2").get_by_text(segment).wait_for()
    assert "asked again: what is left of" in tab.locator("#segments-found").inner_text()
    assert tab.locator("#segments-found tbody tr").count() == 2
    screen.picture("segment")
    tab.get_by_role("button", name="All segments of the crawl").click()
    tab.locator("#segments-found tbody tr").nth(2).wait_for()


def test_the_page_across_runs(screen, run_id, watched) -> None:
    screen.page.goto(f"{screen.server.url}/plugin/crawls")
    frame = screen.page.frame_locator("iframe[title=Crawls]")
    frame.locator("#run-table tbody tr").first.wait_for()
    frame.locator("#crawl").select_option(label="demo (crawl)")
    link = frame.locator("#run-table").get_by_role("link", name=run_id)
    link.wait_for()
    screen.picture("crawls")
    link.click()
    frame.locator("#depths tbody tr").nth(1).wait_for()


def test_redo_has_a_form_too(screen) -> None:
    dialog = screen.form("crawl_redo")
    dialog.locator("[name=element_run_id]").wait_for()
    assert "change nothing" in dialog.inner_text()
    screen.picture("redo_form")


def test_nobody_sees_anything_without_signing_in(server, run_id) -> None:
    for path in ("/crawl/runs", "/crawl/static/crawl.css", f"{path_of(run_id)}/progress"):
        assert server.ask(path, None)[0] == 401
        assert server.ask(path, "nonsense")[0] == 403
        assert server.ask(path, server.tokens["looker"])[0] in (200, 404)
        assert server.ask(path, server.tokens["admin"], {})[0] == 405
    path = "/crawl/run/crawl/no-such-run/progress"
    assert server.ask(path, server.tokens["admin"])[0] == 404


def test_the_api_server_stays_quick_meanwhile(server, run_id, watched) -> None:
    slowest = 0.0
    for _ in range(10):
        started = time.monotonic()
        assert server.ask(f"{path_of(run_id)}/progress", server.tokens["admin"])[0] == 200
        slowest = max(slowest, time.monotonic() - started)
    assert slowest < 10
