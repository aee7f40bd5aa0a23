"""The tantivy index on disk: its folder, schema and words.

Words are runs of letters, marks and digits in lower case, at most 255 characters each (a longer
run becomes several words, as in Lucene's StandardTokenizer). In scripts written without blanks
(Chinese, Japanese, Thai, Lao, Khmer, Burmese) each character is a word, and a run of them in a
query is a phrase: any part of a text can be found without knowing its language.
"""

import hashlib
import shutil
import tempfile
import uuid
from pathlib import Path

import tantivy

from crawl_ops.errors import IndexingError

MAX_TITLE_KEY = 1000  # characters of a title that count when it is compared as a whole
_ONE_CHARACTER_WORDS = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD = rf"[{_ONE_CHARACTER_WORDS}]|[\p{{L}}\p{{M}}\p{{N}}&&[^{_ONE_CHARACTER_WORDS}]]{{1,255}}"
_TOKENIZER = "words"
_ID_FILE = ".index.id"
_META = "meta.json"
_NO_LOCK = "Failed to acquire Lockfile"
_LINKING_TRIES = 3

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
        id_file = path / _ID_FILE
        if not (path / _META).exists():
            id_file.unlink(missing_ok=True)
        made = _with_words(tantivy.Index(_schema(), path=str(path)))
        if not id_file.exists():
            aside = path / ".tmp-id"
            aside.write_text(uuid.uuid4().hex)
            aside.replace(id_file)
    except (ValueError, OSError) as error:
        raise IndexingError(f"{path}: cannot be written ({_line(error)}){_hint(error)}") from error
    return made


def index_id(location: Path) -> str | None:
    """What tells this index from one made anew in its place; None if there is none."""
    path = folder(location)
    try:
        return (path / _ID_FILE).read_text() if (path / _META).exists() else None
    except OSError:
        return None


def open_existing(location: Path) -> tantivy.Index | None:
    """The index for reading; None if there is none yet. Raises IndexingError if it is broken."""
    path = folder(location)
    try:
        if not path.is_dir() or not tantivy.Index.exists(str(path)):
            return None
        return _opened(path)
    except (ValueError, OSError) as error:
        raise IndexingError(f"{path}: cannot be read ({_line(error)}){_hint(error)}") from error


def _opened(path: Path) -> tantivy.Index:
    try:
        return _for_reading(path)
    except (ValueError, OSError) as error:
        if _NO_LOCK not in str(error):
            raise
    for last in (False,) * _LINKING_TRIES + (True,):
        try:
            return _linked(path)
        except (ValueError, OSError):
            if last:
                raise
    raise AssertionError


def _linked(path: Path) -> tantivy.Index:
    """An index in a folder that may not be written: tantivy makes its lock beside links to it.

    A writer elsewhere may remove files meanwhile; then asking again helps.
    """
    with tempfile.TemporaryDirectory(prefix="crawl-ops-index-") as beside:
        for file in path.iterdir():
            if file.name != _META and not file.name.startswith("."):
                (Path(beside) / file.name).symlink_to(file.absolute())
        shutil.copyfile(path / _META, Path(beside) / _META)
        return _for_reading(Path(beside))  # what is open stays open


def _for_reading(path: Path) -> tantivy.Index:
    index = _with_words(tantivy.Index.open(str(path)))
    index.config_reader("manual")
    return index


def _hint(error: Exception) -> str:
    """What mends an index that is broken."""
    if isinstance(error, OSError) or _NO_LOCK in str(error):
        return ""
    return "; remove this folder, and index makes it anew of the segments that are there"


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
