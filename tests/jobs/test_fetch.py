"""fetch: every URL becomes a row with a status and a reason, and nobody is asked too much."""

import pytest


@pytest.mark.parametrize(
    ("code", "protocol", "fetched", "reason"),
    [
        (200, "success", "fetch_success", None),
        (204, "exception", "fetch_retry", "http 204"),
        (300, "moved", "fetch_redir_perm", None),
        (301, "moved", "fetch_redir_perm", None),
        (302, "temp_moved", "fetch_redir_temp", None),
        (303, "temp_moved", "fetch_redir_temp", None),
        (307, "temp_moved", "fetch_redir_temp", None),
        (308, "moved", "fetch_redir_perm", None),
        (304, "exception", "fetch_retry", "http 304 that was not asked for"),
        (400, "gone", "fetch_gone", "http 400"),
        (401, "access_denied", "fetch_gone", "http 401"),
        (403, "exception", "fetch_retry", "http 403"),
        (404, "notfound", "fetch_gone", "http 404"),
        (410, "gone", "fetch_gone", "http 410"),
        (429, "exception", "fetch_retry", "http 429"),
        (500, "exception", "fetch_retry", "http 500"),
        (503, "exception", "fetch_retry", "http 503"),
    ],
)
def test_a_status_becomes_a_row(site, round_of, code, protocol, fetched, reason):
    location = {"location": "/b"} if 300 <= code < 400 else {}
    url = site.page("/a", "body", status=code, **location)
    segment = round_of.lists([url])
    report = round_of.fetch(segment, {"http.redirect.max": 0})
    row = round_of.fetched(segment)[url]
    assert (row["protocol_status"], row["fetch_status"]) == (protocol, fetched)
    assert row["http_status"] == code
    if reason is not None:
        assert row["reason"] == reason
    assert report.counts == {fetched: 1}
    content = round_of.rows(segment, "content")
    assert [one["content"] for one in content] == ([b"body"] if code == 200 else [])
