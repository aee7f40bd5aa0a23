"""The tantivy index on disk: its folder, schema and words.

Words are runs of letters, marks and digits in lower case, at most 255 characters each (a longer
run becomes several words, as in Lucene's StandardTokenizer). In scripts written without blanks
(Chinese, Japanese, Thai, Lao, Khmer, Burmese) each character is a word, and a run of them in a
query is a phrase: any part of a text can be found without knowing its language.
"""

import hashlib
from pathlib import Path

import tantivy

from crawl_ops.errors import IndexingError

MAX_TITLE_KEY = 1000  # characters of a title that count when it is compared as a whole
_ONE_CHARACTER_WORDS = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD = rf"[{_ONE_CHARACTER_WORDS}]|[\p{{L}}\p{{M}}\p{{N}}&&[^{_ONE_CHARACTER_WORDS}]]{{1,255}}"
_TOKENIZER = "words"

WORDS: tantivy.TextAnalyzer = (
    tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(_WORD))
    .filter(tantivy.Filter.lowercase())
    .build()
)
"""Text to words, as they stand in the index."""


def folder(location: Path) -> Path:
    """Where the index of a crawl's index folder is."""
    return location / "tantivy"


def document_id(url: str) -> str:
    """The term a document is found by: a URL may be longer than a term can be."""
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()


def title_key(text: str) -> str:
    """A title for comparing as a whole: case and blanks do not count."""
    return " ".join(text[:MAX_TITLE_KEY].casefold().split())


def create(location: Path) -> tantivy.Index:
    """The index for writing, made if there is none. Raises IndexingError."""
    path = folder(location)
    try:
        path.mkdir(parents=True, exist_ok=True)
        return _with_words(tantivy.Index(_schema(), path=str(path)))
    except (ValueError, OSError) as error:
        raise IndexingError(f"{path}: cannot be written ({_line(error)})") from error


def open_existing(location: Path) -> tantivy.Index | None:
    """The index for reading; None if there is none yet. Raises IndexingError if it is broken."""
    path = folder(location)
    try:
        if not path.is_dir() or not tantivy.Index.exists(str(path)):
            return None
        index = _with_words(tantivy.Index.open(str(path)))
        index.config_reader("manual")
    except (ValueError, OSError) as error:
        raise IndexingError(f"{path}: cannot be read ({_line(error)})") from error
    return index


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("key", stored=True, tokenizer_name="raw", index_option="basic")
    for name in ("title", "content", "anchor", "url", "host"):
        builder.add_text_field(name, stored=True, tokenizer_name=_TOKENIZER)
    builder.add_text_field("title_key", tokenizer_name="raw", index_option="basic")
    builder.add_json_field(
        "fields", stored=True, tokenizer_name=_TOKENIZER, expand_dots_enabled=True
    )
    builder.add_text_field("field_names", tokenizer_name="raw", index_option="basic")
    builder.add_float_field("boost", stored=True)
    builder.add_float_field("weight", fast=True)
    return builder.build()


def _with_words(index: tantivy.Index) -> tantivy.Index:
    index.register_tokenizer(_TOKENIZER, WORDS)
    return index


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
