"""Protocols by scheme."""

import pytest

from crawl_ops.errors import ConfigError
from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol.answer import FetchRequest
from crawl_ops.protocol.plugs import Protocols

PLUG = """
from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol.answer import Answer

closed = []

class Text(str):
    pass

class Gopher:
    def __init__(self, config):
        self.name = config.http.agent_name

    def fetch(self, request):
        if request.url.endswith("/none"):
            return None
        if request.url.endswith("/text"):
            return Answer(Text(request.url), ProtocolStatus.SUCCESS, headers=[("a", Text("b"))])
        return Answer(request.url, ProtocolStatus.SUCCESS, content=self.name.encode())

    def close(self):
        closed.append(self)
"""


def test_built_in(serve, client, config):
    http = client()
    protocols = Protocols(config(), http)
    assert protocols.protocol_for("HTTPS://a.example/") is http
    server = serve(b"HTTP/1.1 200 OK\r\n\r\nx")
    assert protocols.fetch(FetchRequest(server.url())).content == b"x"
    protocols.close()


@pytest.mark.parametrize("url", ["ftp://a.example/", "file:///etc/passwd", "nonsense", ""])
def test_a_scheme_without_a_protocol(client, config, url):
    protocols = Protocols(config(), client())
    assert protocols.protocol_for(url) is None
    answer = protocols.fetch(FetchRequest(url))
    assert answer.status is ProtocolStatus.PROTO_NOT_FOUND
    assert answer.reason.startswith("no protocol for scheme")


def test_a_protocol_of_ones_own(client, config, tmp_path):
    (tmp_path / "my_gopher.py").write_text(PLUG, encoding="utf-8")
    settings = config(
        **{"fetcher.protocols": "gopher=my_gopher:Gopher", "plugin.folders": str(tmp_path)}
    )
    protocols = Protocols(settings, client())
    assert protocols.fetch(FetchRequest("gopher://a.example/")).content == b"testbot"
    answer = protocols.fetch(FetchRequest("gopher://a.example/text"))
    assert (answer.url, answer.headers) == ("gopher://a.example/text", [("a", "b")])
    assert {type(answer.url), type(answer.headers[0][1])} == {str}
    with pytest.raises(TypeError, match="gave NoneType, not Answer"):
        protocols.fetch(FetchRequest("gopher://a.example/none"))
    protocols.close()


@pytest.mark.parametrize("entry", ["gopher", "gopher=nope", "gopher=nope:Nope"])
def test_what_cannot_be_loaded_is_told(client, config, entry):
    with pytest.raises(ConfigError, match=r"fetcher\.protocols"):
        Protocols(config(**{"fetcher.protocols": entry}), client())
