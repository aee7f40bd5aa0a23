from hypothesis import given
from hypothesis import strategies as st

from crawl_ops.parse.text import MARK, block_lines

TEXTS = st.lists(
    st.sampled_from(["word", " ", "  ", "\n", "\t", MARK, "\xa0", "\u3000", "é", "w" * 90, "\x1f"])
).map("".join)


@given(TEXTS)
def test_every_stretch_between_marks_is_a_line_with_single_blanks(text):
    lines = [" ".join(block.split()) for block in text.split(MARK)]
    assert block_lines(text) == "\n".join(line for line in lines if line)
