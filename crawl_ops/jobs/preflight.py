"""What can be known to be wrong before a crawl begins: then nothing is left of it."""

from collections.abc import Sequence
from pathlib import Path

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.injecting.lines import seed_files
from crawl_ops.protocol.agent import agent_string
from crawl_ops.protocol.cookies import HostCookies
from crawl_ops.protocol.credentials import Credentials
from crawl_ops.urls.chain import UrlChain
from crawl_ops.urls.exemptions import LinkExemptions


def preflight(
    config: CrawlConfig, seeds: Path | Sequence[str] | None, *, fetches: bool = True
) -> None:
    """Check seeds, URL rules and, where something will be fetched, the agent and its files.

    Raises ConfigError or SeedError, one line that names the property or file.
    """
    for scope in ("inject", "outlink", "fetcher"):
        UrlChain(config, scope)
    LinkExemptions(config)
    if isinstance(seeds, Path):
        seed_files(seeds)
    if fetches:
        agent_string(config.http)
        Credentials(config.http.auth_file)
        HostCookies(config.http.agent_host_cookie_file)
