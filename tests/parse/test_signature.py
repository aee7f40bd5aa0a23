import hashlib

import pytest

from crawl_ops.config.load import load
from crawl_ops.parse.page import Page
from crawl_ops.parse.signature import signature, text_profile


def page(content):
    return Page("http://e.test/", content, "http://e.test/", "text/html", None)


def md5(text):
    return hashlib.md5(text.encode(), usedforsecurity=False).digest()


def of(kind, content, text):
    return signature(load(overrides={"db.signature.class": kind}), page(content), text.encode())


@pytest.mark.parametrize(
    ("kind", "content", "text", "hashed"),
    [
        ("MD5Signature", b"abc", "x", "abc"),
        ("MD5Signature", b"", "x", "http://e.test/"),
        ("TextMD5Signature", b"abc", "ä x", "ä x"),
        ("TextMD5Signature", b"abc", "", "abc"),
        ("TextMD5Signature", b"", "", "http://e.test/"),
        ("TextProfileSignature", b"abc", "one two one", "one 2"),
        ("TextProfileSignature", b"abc", "", "abc"),
        ("org.apache.nutch.crawl.TextMD5Signature", b"abc", "x", "x"),
    ],
)
def test_what_is_hashed(kind, content, text, hashed):
    assert of(kind, content, text) == md5(hashed)


def test_the_example_of_nutch():
    text = "Hello World The Quick Brown Fox Jumped Over the Lazy Fox"
    assert text_profile(text) == "fox 2\nthe 2"


def test_word_order_does_not_matter(facts):
    for fact in facts("nutch.jsonl", op="text-profile-equal"):
        same = text_profile(fact["text1"]) == text_profile(fact["text2"])
        assert same == fact["expected"]


@pytest.mark.parametrize(
    ("text", "profile"),
    [
        ("", ""),
        ("a of", ""),
        ("abc def", "abc 1\ndef 1"),
        ("abc abc def", "abc 2"),
        ("x_yz-abc1 ABC1", "abc1 2"),
        ("wort " * 250 + "satz " * 5 + "mehr " * 2, "wort 249\nsatz 3"),
        ("b bb bbb bbb aaa aaa", "aaa 2\nbbb 2"),
    ],
)
def test_profiles(text, profile):
    assert text_profile(text) == profile


def test_the_knobs_of_the_profile():
    assert text_profile("a b a", min_token_len=0) == "a 2"
    assert text_profile("abc " * 10 + "def " * 4, quant_rate=0.5) == "abc 10"
