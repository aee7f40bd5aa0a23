"""A connection of Airflow that says where crawl folders are."""

import re
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseHook

from crawl_ops.config.places import CRAWL_ID
from crawl_ops.errors import ConfigError, CrawlError

if TYPE_CHECKING:
    from crawl_ops.storage.crawl_dir import CrawlDir


class CrawlStoreHook(BaseHook):
    """Crawl folders below the host of a connection, which is the path of a folder.

    In a template it is `{{ conn.crawl_store.host }}/news`.

    :param crawl_conn_id: the connection
    """

    conn_name_attr = "crawl_conn_id"
    default_conn_name = "crawl_store"
    conn_type = "crawl_store"
    hook_name = "Crawl store"

    def __init__(self, crawl_conn_id: str = default_conn_name, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.crawl_conn_id = crawl_conn_id

    @classmethod
    def get_ui_field_behaviour(cls) -> dict[str, Any]:
        """The form of the connection: one field."""
        return {
            "hidden_fields": ["schema", "login", "password", "port", "extra"],
            "relabeling": {"host": "Folder"},
            "placeholders": {"host": "/srv/crawls"},
        }

    def crawl_dir(self, crawl_id: str) -> str:
        """The folder of a crawl. Raises ConfigError for an id that is no plain name."""
        if not re.fullmatch(CRAWL_ID, crawl_id):
            raise ConfigError(f"crawl_id: {crawl_id!r} is no plain name (letters, digits, . _ -)")
        host = self.get_connection(self.crawl_conn_id).host
        if not host:
            raise ConfigError(f"connection {self.crawl_conn_id} names no folder")
        return f"{str(host).rstrip('/')}/{crawl_id}"

    def get_conn(self, crawl_id: str = "crawl") -> "CrawlDir":
        """A crawl that exists, opened. Raises NotFoundError."""
        from crawl_ops.storage.crawl_dir import CrawlDir

        return CrawlDir.open(self.crawl_dir(crawl_id))

    def test_connection(self) -> tuple[bool, str]:
        """Whether the connection names a folder."""
        try:
            return True, f"crawls are in {self.crawl_dir('name')}"
        except CrawlError as error:
            return False, str(error)
