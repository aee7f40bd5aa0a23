"""The form of a crawl: the DAG's params as JSON schema, and what they mean as properties."""

from collections.abc import Mapping
from typing import Any

from airflow.sdk import Param

from crawl_ops.config.load import load
from crawl_ops.config.places import CRAWL_ID, config_file
from crawl_ops.operators.demo import DEMO_SEEDS
from crawl_ops.operators.generate import MAX_LISTS

USUAL_DEPTH = 3
FETCHING = "Fetching"
SCOPE = "Scope"
AGAIN = "Asking again and checking"
PLACES = "Crawl folder and configuration"

# Said by JSON schema, the form itself refuses it and says so; what only a job can know fails in
# inject, at once. Patterns are short: they are part of what the page tells.
SEED_LINE = "/|^ *#|^ *$"
HOST = r"^[^\s/]+$"
RULE_LINES = r"^([-+#][^\n]*|[ \t\r]*)(\n([-+#][^\n]*|[ \t\r]*))*$"
TOML = r"^$|^[A-Za-z0-9][A-Za-z0-9._/-]*[.]toml$"

PROPERTY_OF = {
    "delay": "fetcher.server.delay",
    "agent": "http.agent.name",
    "url_filter": "urlfilter.regex.rules",
}
"""Params that are one property; left empty, crawl.toml decides."""


def params(max_depth: int) -> dict[str, Param]:
    """The params of a crawl that is built with `max_depth` depths. Every default validates.

    A param that is missing, null or empty means the same: what crawl.toml says, else the default
    of the property.
    """
    return {
        **_main(max_depth),
        **fetch_params(),
        **_scope(),
        **_again(),
        **check_params(),
        "crawl_id": crawl_id_param(),
        **place_params(),
    }


def _main(max_depth: int) -> dict[str, Param]:
    return {
        "seeds": Param(
            list(DEMO_SEEDS),
            type="array",  # with a second type the page shows JSON, not lines
            items={"type": "string", "pattern": SEED_LINE},
            title="Seeds",
            description="One URL a line, Nutch's tab-separated metadata allowed; or one line that "
            "is the path of a seed file or folder. As it stands: the demo site.",
        ),
        "depth": Param(
            min(USUAL_DEPTH, max_depth),
            type="integer",
            minimum=1,
            maximum=max_depth,
            title="Depth",
            description=f"Rounds of generate, fetch, parse, updatedb: 1 to {max_depth}. "
            "The run ends early when nothing is due.",
        ),
        "topn": Param(
            None,
            type=["null", "integer"],
            minimum=1,
            title="topN",
            description="URLs of one round at most, the best first (generate.topN).",
        ),
    }


def fetch_params() -> dict[str, Param]:
    """How pages are fetched."""
    return {
        "fetch_lists": Param(
            None,
            type=["null", "integer"],
            minimum=1,
            maximum=MAX_LISTS,
            title="Fetch lists",
            section=FETCHING,
            description="Fetch tasks side by side in a round (generate.num.fetchers); "
            "a host is never in two of them.",
        ),
        "delay": Param(
            None,
            type=["null", "number"],
            minimum=0,
            maximum=3600,
            title="Delay",
            section=FETCHING,
            description="Seconds between two requests to one host (fetcher.server.delay).",
        ),
        "agent": Param(
            None,
            type=["null", "string"],
            maxLength=200,
            title="Agent name",
            section=FETCHING,
            description="What the crawler calls itself (http.agent.name); robots.txt is read for "
            "this name. It must be set here or in crawl.toml.",
        ),
    }


def _scope() -> dict[str, Param]:
    return {
        "hosts": Param(
            None,
            type=["null", "array"],
            items={"type": "string", "pattern": HOST},
            title="Hosts and domains",
            section=SCOPE,
            description="Stay on these, one a line (urlfilter.domain.rules). Empty: anywhere.",
        ),
        "url_filter": Param(
            None,
            type=["null", "string"],
            format="multiline",
            pattern=RULE_LINES,
            title="URL filter",
            section=SCOPE,
            description="Rules +REGEX and -REGEX, one a line; the first that is found in a URL "
            "decides (urlfilter.regex.rules).",
        ),
    }


def _again() -> dict[str, Param]:
    return {
        "redo": Param(
            None,
            type=["null", "string"],
            enum=[None, "failed", "all", "none"],
            values_display={
                "null": "as the depth was cleared",
                "failed": "what failed",
                "all": "everything",
                "none": "nothing",
            },
            title="Asked again",
            section=AGAIN,
            description="What a finished depth asks for again. As it was cleared: what failed in "
            "it, when it is cleared by itself; nothing, when the whole run is.",
        ),
    }


def check_params() -> dict[str, Param]:
    """What happens when a run brought less than the one before."""
    return {
        "on_findings": Param(
            "warn",
            enum=["warn", "stop"],
            values_display={"warn": "warn and go on", "stop": "stop before the index"},
            title="Check",
            section=AGAIN,
            description="When pages or hosts got lost or errors went up (crawl.check.*).",
        ),
    }


def crawl_id_param() -> Param:
    """The crawl that a run works on."""
    return Param(
        None,
        type=["null", "string"],
        pattern=f"^$|{CRAWL_ID}",
        title="Crawl id",
        section=PLACES,
        description="The folder of this crawl in the store. Empty: the usual one of this DAG.",
    )


def place_params() -> dict[str, Param]:
    """Where the configuration is, and what overrides it."""
    return {
        "config": Param(
            None,
            type=["null", "string"],
            pattern=TOML,
            title="Configuration file",
            section=PLACES,
            description="A crawl.toml in include/ other than include/crawl.toml.",
        ),
        "properties": Param(
            {},
            type=["object", "null"],
            title="Further properties",
            section=PLACES,
            description='By name, as in {"http.timeout": 5000}; they win over all other fields '
            "(docs/properties.md).",
        ),
    }


def properties_of(params: Mapping[str, Any]) -> dict[str, Any]:
    """The properties that a run's params override crawl.toml with; a form may lack some fields."""
    given: dict[str, Any] = {}
    for param, name in PROPERTY_OF.items():
        if params.get(param) not in (None, ""):
            given[name] = params[param]
    if hosts := params.get("hosts"):
        order = load(config_file(params.get("config"))).urlfilter.order
        given["urlfilter.domain.rules"] = "\n".join(hosts)
        given["urlfilter.order"] = [*order, *({"domain"} - set(order))]
    return given | dict(params.get("properties") or {})
