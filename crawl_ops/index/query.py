"""From what a person types to a query, and how hits are ranked.

A query is Lucene's: words (any of them), "phrases", AND OR NOT + - ( ), field:term, ^boost. What
does not parse, and a field no document has, is read as words.

Ranking, from the top: the page whose title (or URL) is the query; titles that hold it as a
phrase; titles that hold all its words; documents that hold all its words anywhere; the rest, by
BM25 with titles and anchors counting more than text. Navigation that repeats every title on every
page does not count then. Within a rank BM25 decides, times the document's weight.
"""

import re

import tantivy
from tantivy import Occur, Query

from crawl_ops.index.tantivy_index import WORDS, document_id, title_key

MAX_QUERY = 10_000  # characters
MAX_WORDS = 256
MAX_NESTING = 32
_MAX_RANKED_WORDS = 64
_FIELDS = ["title", "content", "anchor", "url", "host"]
_BOOSTS = {"title": 4.0, "anchor": 2.0, "url": 0.5, "host": 0.5}
# The steps between ranks are larger than what BM25 gives a long query.
_ALL_WORDS = 2_000.0
_RANK = 10_000.0
_ALIASES = {"text": "content"}
_SCHEMA_FIELDS = frozenset(_FIELDS)
_FIELD_NAME = re.compile(r'"(?:\\.|[^"\\])*"|(?<![\w.:/\\-])([^\W\d][\w.-]*):(?=[^\s/:])')
_PUNCTUATION = str.maketrans(dict.fromkeys(r"""!"#$%&'()*+,-./:;<=>?@[\]^`{|}~""", " "))


class QueryReader:
    """Reads queries for one state of an index."""

    def __init__(self, index: tantivy.Index, searcher: tantivy.Searcher) -> None:
        self._index = index
        self._searcher = searcher

    def structured(self, text: str) -> Query | None:
        """The query by Lucene's rules; None if it does not parse."""
        if text.count("(") > MAX_NESTING or text.count("[") > MAX_NESTING:
            return None
        try:
            return self._index.parse_query(self._with_fields(text), _FIELDS, _BOOSTS)
        except ValueError:
            return None

    def words(self, text: str, *, all_of_them: bool = False) -> Query:
        """Any of the words of a text, or all of them, each in any field."""
        words = list(dict.fromkeys(text.lower().translate(_PUNCTUATION).split()))[:MAX_WORDS]
        try:
            return self._index.parse_query(
                " ".join(words), _FIELDS, _BOOSTS, conjunction_by_default=all_of_them
            )
        except ValueError:
            return Query.empty_query()

    def ranked(self, text: str, found: Query) -> Query:
        """`found`, in the order of the ranks, and the page whose title or URL is the text."""
        lifts = self._lifts(text)
        query = Query.boolean_query([(Occur.Must, found), *((Occur.Should, q) for q in lifts)])
        key = title_key(text)
        whole = [_term(self._index, "title_key", key)] if key else []
        if "://" in text:
            whole.append(_term(self._index, "id", document_id(text)))
        return Query.boolean_query([(Occur.Should, q) for q in (query, *whole)])

    def _lifts(self, text: str) -> list[Query]:
        words = WORDS.analyze(text)
        if not words or len(words) > _MAX_RANKED_WORDS:
            return []
        schema = self._index.schema
        in_title = [(Occur.Must, Query.term_query(schema, "title", word)) for word in set(words)]
        lifts = [Query.const_score_query(Query.boolean_query(in_title), _RANK)]
        if len(words) > 1:
            phrase = Query.phrase_query(schema, "title", [*words])
            lifts.append(Query.const_score_query(phrase, _RANK))
            lifts.append(Query.const_score_query(self.words(text, all_of_them=True), _ALL_WORDS))
        return lifts

    def _with_fields(self, text: str) -> str:
        """Nutch's fields (lang:en) are found inside the field that holds them."""

        def place(match: re.Match[str]) -> str:
            name = match[1]
            if not name or name in _SCHEMA_FIELDS:
                return match[0]
            if name in _ALIASES:
                return f"{_ALIASES[name]}:"
            known = self._searcher.doc_freq("field_names", name) > 0
            return f"fields.{name}:" if known else match[0]

        return _FIELD_NAME.sub(place, text)


def _term(index: tantivy.Index, field: str, value: str) -> Query:
    return Query.const_score_query(Query.term_query(index.schema, field, value, "basic"), 2 * _RANK)
