"""The demo site as the DAG's defaults know it: its seeds, and what a crawl of loopback allows."""

from typing import Any

DEMO_PORT = 8642
DEMO_SEEDS: tuple[str, ...] = (f"http://127.0.0.2:{DEMO_PORT}/",)
DEMO_PROPERTIES: dict[str, Any] = {"http.agent.name": "crawl-ops-demo"}
