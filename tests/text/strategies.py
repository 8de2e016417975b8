"""Texts that are hard to split: many scripts, marks that join, broken UTF-8, odd line ends."""

from __future__ import annotations

from hypothesis import strategies as st

#: Characters that some rule of some splitter treats apart.
AWKWARD = (
    "a b.,'\"1:;_-\r\n\t\v\f\0 éA日カ각가。！？」”…"
    "א״ךไक्षि"
    "👩🚀🇫🇷🇩☺"
    "\u0301\u0903\u200d\u200c\u00ad\u0600\ufe0f\ufeff\u3000\x85\u2028\u00a0"
)


def texts(max_size: int = 60) -> st.SearchStrategy[bytes]:
    """Unicode of any script, the awkward characters, or any bytes at all."""
    unicode = st.text(max_size=max_size).map(lambda text: text.encode("utf-8", "surrogatepass"))
    awkward = st.text(alphabet=AWKWARD, max_size=max_size).map(str.encode)
    english = st.lists(st.sampled_from(["to", "be,", "or", "not. ", " ", "\n", "\r\n", "«né»"]), max_size=max_size)
    parts = st.one_of(awkward, st.binary(max_size=4), st.sampled_from([b"\xe2\x82", b"\xf0\x9f\x98", b"\xff", b" "]))
    broken = st.lists(parts, max_size=max_size // 4).map(b"".join)
    return st.one_of(
        unicode, awkward, english.map(lambda words: " ".join(words).encode()), st.binary(max_size=max_size), broken
    )
