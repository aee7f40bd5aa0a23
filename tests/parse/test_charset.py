import codecs

import pytest

from crawl_ops.parse.charset import declared_charset, decode, detect, encoding_name, python_name

BOMS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16le", b"\xfe\xff": "utf-16be"}


def test_declarations_are_read_as_html5lib_expects(facts):
    for fact in facts("charsets.jsonl", what="declaration"):
        content = fact["bytes"]
        by_mark = next((name for mark, name in BOMS.items() if content.startswith(mark)), None)
        found = by_mark or declared_charset(content) or "windows-1252"
        assert found == fact["expected"], fact["id"]


def test_labels_name_encodings_as_whatwg_says(facts):
    for fact in facts("charsets.jsonl", what="label"):
        name = encoding_name(fact["label"])
        assert name == fact["expected"], fact["label"]
        if name not in (None, "replacement"):
            codecs.lookup(python_name(name))


@pytest.mark.parametrize(
    ("content", "hint", "charset"),
    [
        ("Привет".encode("utf-8-sig"), "cp1251", "utf-8"),
        ("Привет".encode("utf-16-le").join([b"\xff\xfe", b""]), None, "utf-16le"),
        (b'<meta charset="koi8-r">', "windows-1251", "windows-1251"),
        (b'<meta charset="koi8-r">', "no-such-charset", "koi8-r"),
        (b'<meta charset="koi8-r">', '"windows-1251"', "windows-1251"),
        (b'<meta charset="utf-16">', None, "utf-8"),
        (b'<meta charset="x-user-defined">', None, "windows-1252"),
        (b'<meta charset="hz-gb-2312">abc', None, "utf-8"),
        (b'<?xml version="1.0" encoding="iso-8859-2"?><a>', None, "iso-8859-2"),
        (b"plain", None, "utf-8"),
        ("schön".encode(), None, "utf-8"),
        (b"<p charset=gb2312><script>x = '<!-- charset=gbk'</script>", None, "utf-8"),
        (b"<!-- <meta charset=gbk> --><p>", None, "utf-8"),
        (b"<meta charset=gb2312>", None, "gbk"),
        (b"<meta charset=euc-kr>", None, "euc-kr"),
        (b"<meta charset=x-sjis>", None, "shift_jis"),
        (b" " * 60_000 + b"<meta charset=koi8-r>", None, "koi8-r"),
        (b" " * 70_000 + b"<meta charset=koi8-r>", None, "utf-8"),
    ],
)
def test_the_order_of_evidence(content, hint, charset):
    assert detect(content, hint, "windows-1252") == charset


def test_bytes_without_evidence_are_guessed_and_else_the_default():
    russian = ("Широкая электрификация южных губерний даст мощный толчок подъёму " * 9).encode(
        "windows-1251"
    )
    assert detect(russian, None, "iso-8859-2") == "windows-1251"
    assert detect(b"", None, "koi8-r") == "utf-8"


def test_a_sure_guess_comes_first_when_the_threshold_says_so():
    text = ("Die Straße führt über Brücken und Höhen. " * 9).encode()
    assert detect(text, "windows-1251", "windows-1252", min_confidence=50) == "utf-8"
    assert detect(text, "windows-1251", "windows-1252", min_confidence=-1) == "windows-1251"


def test_a_cut_in_the_middle_of_a_character_is_still_utf8():
    cut = ("ä" * 100).encode()[:-1]
    assert detect(cut, None, "windows-1252", cut=True) == "utf-8"


@pytest.mark.parametrize(
    ("content", "charset", "text"),
    [
        (b"\xd6\xec\xe9F\xbb\xf9", "gbk", "朱镕基"),
        (b"\xa0", "windows-1252", "\xa0"),
        (b"a\0b<i x=\0>", "utf-8", "ab<i x=\ufffd>"),
        (b"a\x01b\x0bc\x08d\x7f", "utf-8", "a b c d "),
        ("a\ufffeb\uffffc\x80d\x82".encode(), "utf-8", "a\ufffdb\ufffdc\ufffdd\ufffd"),
        (b"a\xffb", "utf-8", "a\ufffdb"),
        (b"\xed\xa0\x80", "utf-8", "\ufffd\ufffd\ufffd"),
        (b"\x81\x8d", "windows-1252", "\ufffd\ufffd"),
        (b"\xef\xbb\xbfx", "utf-8", "x"),
        (b"\x1b$B!!\x1b(Bx", "iso-2022-jp", "\u3000x"),
    ],
)
def test_decoding_gives_clean_text(content, charset, text):
    assert decode(content, charset).data.decode() == text
