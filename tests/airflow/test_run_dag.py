"""The runner's command line: what it makes of its arguments."""

import pytest

from crawl_ops.config.places import airflow_home
from crawl_ops.errors import ConfigError
from crawl_ops.operators import run_dag
from crawl_ops.operators.demo import DEMO_SEEDS
from crawl_ops.operators.embedded import alone
from crawl_ops.operators.run_dag import USUAL_DEPTH, _parser, conf_of, main

ELSEWHERE = ("http://127.0.0.1:9/", "http://127.0.0.2:9/", "http://127.0.0.3:9/")


def conf(*arguments, demo=()):
    return conf_of(_parser().parse_args(arguments), demo)


def test_without_arguments_the_forms_defaults_and_the_demos_depth():
    assert conf(demo=DEMO_SEEDS) == {"depth": USUAL_DEPTH}


def test_a_demo_site_on_another_port_brings_its_seeds():
    assert conf("--depth", "2", demo=ELSEWHERE) == {
        "depth": 2,
        "seeds": list(ELSEWHERE),
    }


def test_own_seeds_are_a_path_that_no_working_folder_changes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = ["--seeds", "seeds.txt", "--delay", "0.25", "-D", "http.timeout=5000"]
    assert conf(*given, "--agent", "us", "--topn", "9") == {
        "seeds": [str(tmp_path / "seeds.txt")],
        "depth": USUAL_DEPTH,
        "delay": 0.25,
        "agent": "us",
        "topn": 9,
        "properties": {"http.timeout": "5000"},
    }


def test_two_at_once_are_refused_in_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CRAWL_HOME", str(tmp_path))
    monkeypatch.setattr(run_dag, "use", lambda settings: None)
    with alone(airflow_home("crawl")):
        assert main(["--seeds", "s"]) == 2
    assert "another process is using this Airflow" in capsys.readouterr().err


def test_a_property_without_a_value_is_refused():
    with pytest.raises(ConfigError, match=r"-D http\.timeout: write NAME"):
        conf("--seeds", "s", "-D", "http.timeout")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--seeds", "nope.txt"), "nope.txt: cannot be read"),
        (("--depth", "0"), "--depth 0: give a number from 1"),
        (("--depth", "101"), "--depth 101: give a number from 1"),
        (("-D", "http.agnt.name=x"), "unknown property 'http.agnt.name'"),
    ],
)
def test_what_cannot_work_is_told_before_airflow_is_started(
    arguments, message, monkeypatch, capsys, tmp_path
):
    monkeypatch.setenv("CRAWL_HOME", str(tmp_path))
    monkeypatch.setattr(run_dag, "run", lambda *_: pytest.fail("Airflow was started"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "seeds.txt").write_text("http://a.test/\n")
    assert main(("-D", "http.agent.name=us", "--seeds", "seeds.txt", *arguments)) == 2
    assert message in capsys.readouterr().err
