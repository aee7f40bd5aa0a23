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
