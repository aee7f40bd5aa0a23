"""Which crawl folder belongs to a run."""

import pytest

from crawl_ops.errors import NotFoundError
from crawl_ops.web.runs import OPERATORS, config_of, crawl_of, token_of

URLS = ["http://a.example/"]


def test_the_folder_the_operators_were_given(made) -> None:
    made.seeds(URLS)
    segment = made.generate()
    found = crawl_of(made.run())
    assert found.crawl.root == made.crawl.root
    assert found.segments == [segment.name]


def test_a_run_that_has_begun_but_selected_nothing(made) -> None:
    assert crawl_of(made.run()).claims == ()


def test_a_run_whose_tasks_have_not_begun(made, tmp_path) -> None:
    for folders in ((), (str(tmp_path / "nowhere"),), ("s3://bucket/x",), ("",)):
        with pytest.raises(NotFoundError, match="no crawl folder yet"):
            crawl_of(made.run(folders=folders))


def test_an_old_run_is_found_in_the_folder_that_knows_it(made, another) -> None:
    made.seeds(URLS)
    made.generate()
    other = another("other")
    folders = (str(other.crawl.root), str(made.crawl.root))
    assert crawl_of(made.run(folders=(), dag_folders=folders)).crawl.root == made.crawl.root
    with pytest.raises(NotFoundError):
        crawl_of(made.run(folders=(), dag_folders=folders, run_id="unknown"))


@pytest.mark.parametrize(
    ("dag_id", "conf", "name"),
    [
        ("crawl", {"crawl_id": "news"}, "news"),  # as its form says
        ("news", {}, "news"),  # the folder of the DAG's name, which operators take by themselves
    ],
)
def test_a_run_of_which_no_fields_are_kept(another, dag_id, conf, name) -> None:
    made = another(f"store/{name}")
    made.seeds(URLS)
    segment = made.generate()
    found = crawl_of(made.run(folders=(), dag_id=dag_id, conf=conf))
    assert found.crawl.root == made.crawl.root
    assert found.segments == [segment.name]


@pytest.mark.parametrize(
    ("changes", "conf"),
    [
        ({"dag_id": "crawl"}, {"crawl_id": "../store/news"}),  # no name
        ({"dag_id": "other"}, {}),  # the same run id, as scheduled runs of one hour have it
        ({"dag_id": "news", "crawls": False}, {}),  # a DAG that only has the name
        ({"dag_id": "other", "crawls": False}, {"crawl_id": "news"}),  # anybody may write that
    ],
)
def test_the_crawl_of_another_is_not_shown(another, changes, conf) -> None:
    made = another("store/news")
    made.seeds(URLS)
    made.generate()
    with pytest.raises(NotFoundError):
        crawl_of(made.run(folders=(), conf=conf, **changes))


def test_a_run_that_waits_is_shown_the_crawl_it_will_go_on_with(another) -> None:
    made = another("store/crawl")
    made.seeds(URLS)
    found = crawl_of(made.run(folders=(), state="queued"))
    assert (found.crawl.root, found.claims) == (made.crawl.root, ())


def test_a_run_that_was_given_a_folder_has_no_other(another, tmp_path) -> None:
    another("store/crawl").seeds(URLS)
    with pytest.raises(NotFoundError):
        crawl_of(another("other").run(folders=(str(tmp_path / "nowhere"),)))


def test_without_a_field_the_configuration_is_that_of_the_form(another, tmp_path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "crawl.toml").write_text('"http.timeout" = 4321\n')
    (tmp_path / "include" / "news.toml").write_text('"http.timeout" = 1234\n')
    made = another("store/crawl")
    for conf, timeout in (({}, 4321), ({"config": "news.toml"}, 1234), ({"config": "no"}, 10000)):
        found = crawl_of(made.run(folders=(), conf=conf))
        assert config_of(found).http.timeout == timeout


def test_the_configuration_of_the_newest_segment(made) -> None:
    made.seeds(URLS)
    config = made.config
    made.config = lambda **given: config(**{"http.timeout": 1234, **given})
    made.generate()
    found = config_of(crawl_of(made.run()))
    assert found.http.timeout == 1234
    assert found.duckdb.threads == 1
    assert found.duckdb.memory_limit == "512MB"


def test_before_there_is_a_segment_it_is_that_of_the_file(made, tmp_path) -> None:
    file = tmp_path / "crawl.toml"
    file.write_text('"http.timeout" = 4321\n')
    assert config_of(crawl_of(made.run(config_file=str(file)))).http.timeout == 4321
    file.write_text("nonsense")
    assert config_of(crawl_of(made.run(config_file=str(file)))).http.timeout != 4321


def test_a_token_says_nothing_of_the_place(made, another) -> None:
    assert token_of(made.crawl) == token_of(crawl_of(made.run()).crawl)
    assert token_of(made.crawl) != token_of(another("other").crawl)


def test_operators_are_those_there_are() -> None:
    from crawl_ops.operators.provider import OF_A_CRAWL

    assert {name.removesuffix("Operator").lower() for name in OPERATORS} == set(OF_A_CRAWL)
