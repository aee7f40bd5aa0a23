"""Asking the index: hits for a query, one document, all ids."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import tantivy
from tantivy import Query

from crawl_ops.index.characters import xml_text
from crawl_ops.index.query import MAX_QUERY, QueryReader
from crawl_ops.index.tantivy_index import document_id, open_existing

MAX_HITS = 1_000_000
_EVERYTHING = ("*", "*:*")
_SNIPPET = 240  # characters
_CHOSEN_SNIPPETS = 100  # hits whose snippet is chosen for the query; the rest begin their text
_SNIPPET_TEXT = 200_000  # characters of a text that are looked at for it
_TEXTS = ("title", "content", "url", "host")


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that was found. `url` is its id; `snippet` is plain text."""

    url: str
    title: str
    score: float
    snippet: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best hits, and how many there are in all."""

    total: int
    hits: list[Hit]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for --json: total and hits."""
        return asdict(self)


def search(location: Path, query: str, limit: int, offset: int = 0) -> SearchResult:
    """Documents for a query (crawl_ops.index.query), best first; `*` is every document.

    `query` may be any text: it never raises. At most `limit` hits (bounded by MAX_HITS) from
    `offset` on; equal scores are in the order of their URLs. Without an index there are none.
    Raises IndexingError if the index is broken.
    """
    index = open_existing(location)
    if index is None:
        return SearchResult(0, [])
    searcher = index.searcher()
    text = xml_text(query[:MAX_QUERY]).strip()
    wanted = min(max(limit, 0), MAX_HITS, max(searcher.num_docs - max(offset, 0), 0))
    found, answer = _answer(index, searcher, text, max(wanted, 1), max(offset, 0))
    generator = None
    if found is not None and wanted:
        generator = tantivy.SnippetGenerator.create(searcher, found, index.schema, "content")
        generator.set_max_num_chars(_SNIPPET)
    hits = [
        _hit(searcher.doc(address), score, generator if number < _CHOSEN_SNIPPETS else None)
        for number, (score, address) in enumerate(answer.hits[:wanted])
    ]
    hits.sort(key=lambda hit: (-hit.score, hit.url))
    return SearchResult(_total(answer), hits)


def is_there(location: Path) -> bool:
    """Whether there is an index to ask. Raises IndexingError if it is broken."""
    return open_existing(location) is not None


def indexed_ids(location: Path) -> Iterator[str]:
    """The URL of every document, in order."""
    index = open_existing(location)
    if index is not None:
        everything = Query.all_query()
        for url, _ in index.searcher().terms_with_prefix("key", "", filter_query=everything):
            yield url


def get(location: Path, id: str) -> dict[str, Any] | None:  # noqa: A002  (Nutch's word)
    """The fields of the document of a URL under Nutch's names, times as text; None without it."""
    index = open_existing(location)
    if index is None:
        return None
    searcher = index.searcher()
    term = Query.term_query(index.schema, "id", document_id(id), "basic")
    hits = searcher.search(term, limit=1).hits
    if not hits:
        return None
    stored = searcher.doc(hits[0][1]).to_dict()
    fields: dict[str, Any] = {"id": id}
    fields |= {name: stored[name][0] for name in _TEXTS if stored.get(name)}
    if any(stored.get("anchor", ())):
        fields["anchor"] = stored["anchor"]
    fields |= {name: _plain(value) for name, value in stored["fields"][0].items()}
    return fields


def count(location: Path) -> int:
    """How many documents there are."""
    index = open_existing(location)
    return int(index.searcher().num_docs) if index else 0


def _answer(
    index: tantivy.Index, searcher: tantivy.Searcher, text: str, limit: int, offset: int
) -> tuple[Query | None, tantivy.SearchResult]:
    if text in _EVERYTHING:
        return None, searcher.search(Query.all_query(), limit, offset=offset)
    reader = QueryReader(index, searcher)
    for found in (reader.structured(text), reader.words(text)):
        if found is None:
            continue
        try:
            ranked = reader.ranked(text, found)
            return found, searcher.search(ranked, limit, offset=offset, weight_by_field="weight")
        except ValueError:  # parses, but cannot be asked: title:*, a range of texts
            continue
    return None, searcher.search(Query.empty_query(), 1)


def _total(answer: tantivy.SearchResult) -> int:
    # tantivy's own stubs leave it out.
    return int(answer.count)  # type: ignore[attr-defined]


def _hit(
    document: tantivy.Document, score: float, generator: tantivy.SnippetGenerator | None
) -> Hit:
    content = document.get_first("content") or ""
    snippet = ""
    if generator is not None:
        looked_at = tantivy.Document(content=content[:_SNIPPET_TEXT])
        snippet = generator.snippet_from_doc(looked_at).fragment()
    return Hit(
        url=document.get_first("key") or "",
        title=document.get_first("title") or "",
        score=round(float(score), 4),
        snippet=" ".join((snippet or content[:_SNIPPET]).split()),
    )


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
