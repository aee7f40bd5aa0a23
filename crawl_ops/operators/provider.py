"""What `airflow providers list` knows of crawl_ops: operators, connection, link, settings."""

from importlib.metadata import version
from typing import Any

NAME = "Crawl"
OF_A_CRAWL = (
    *("inject", "generate", "fetch", "parse", "updatedb", "invertlinks", "check", "index", "dedup"),
    "redo",
)
UPKEEP = ("retention", "mergesegs", "vacuum", "readdb", "reconcile")
MODULES = (*OF_A_CRAWL, *UPKEEP)
HOOK = "crawl_ops.operators.store_hook"


def get_provider_info() -> dict[str, Any]:
    """The metadata in Airflow's schema, for the entry point apache_airflow_provider."""
    return {
        "package-name": "crawl-ops",
        "name": NAME,
        "description": "Apache Nutch's batch crawl as operators over Parquet and DuckDB.",
        "versions": [version("crawl-ops")],
        "integrations": [{"integration-name": NAME, "tags": ["software"]}],
        "operators": [
            {
                "integration-name": NAME,
                "python-modules": [f"crawl_ops.operators.{name}" for name in MODULES],
            }
        ],
        "hooks": [{"integration-name": NAME, "python-modules": [HOOK]}],
        "connection-types": [
            {
                "connection-type": "crawl_store",
                "hook-name": "Crawl store",
                "hook-class-name": f"{HOOK}.CrawlStoreHook",
            }
        ],
        "extra-links": [
            "crawl_ops.operators.crawl_link.CrawlLink",
            "crawl_ops.operators.crawl_link.SegmentLink",
        ],
        "config": {"crawl": {"description": "The pages of crawl_ops.", "options": _options()}},
    }


def _options() -> dict[str, Any]:
    return {
        "page_threads": {
            "description": "Questions that the pages ask at the same time in an API server.",
            "version_added": "0.1.0",
            "type": "integer",
            "example": None,
            "default": "2",
        },
        "page_seconds": {
            "description": "Seconds a page waits for an answer; after that it asks again.",
            "version_added": "0.1.0",
            "type": "float",
            "example": None,
            "default": "15",
        },
    }
