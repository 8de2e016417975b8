"""Texts that come with the page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from bitmeter.text.corpus.sample import sample_parts

__all__ = ["Example", "examples", "find_example"]


@dataclass(frozen=True, slots=True)
class Example:
    """A text, by a name and a title."""

    name: str
    title: str
    text: str


_PROSE = """\
The keeper of the lighthouse wrote down the weather every evening, and he had done so for thirty years. Wind from the \
west, he wrote, and the sea as it always is. He had come to know what the sea would do before it did it, or so he said \
to the boy who brought the bread. On most evenings he was right. But on the last day of October he wrote only one \
word, and the word was xylophone.
"""

_CODE = '''\
def mean(values):
    """The mean of some numbers."""
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


def variance(values):
    """The variance of some numbers."""
    centre = mean(values)
    return mean([(value - centre) ** 2 for value in values])


def deviation(values):
    """The standard deviation of some numbers, in furlongs."""
    return variance(values) ** 0.5
'''

_OTHER = """\
Der Wärter des Leuchtturms schrieb jeden Abend das Wetter auf. Wind aus Westen, schrieb er, und das Meer wie immer.
Le gardien du phare notait le temps chaque soir. Vent d'ouest, écrivait-il, et la mer comme toujours.
灯台守は毎晩、天気を書きとめた。西の風、と彼は書いた、そして海はいつものとおり。
"""

_AGAIN = "the sea, the sea, the open sea. " * 12 + "the sea, the sea, the open see. " + "the sea, the sea. " * 2

#: How many bytes of the text that no bundled model has read are an example.
_REFERENCE = 6000


@cache
def examples() -> tuple[Example, ...]:
    """All examples.

    Examples
    --------
    >>> [example.name for example in examples()]
    ['lighthouse', 'code', 'languages', 'sea', 'reference']
    """
    rest = sample_parts()[1].decode()
    return (
        Example("lighthouse", "A lighthouse keeper, and a surprise", _PROSE),
        Example("code", "Python code, with one odd word", _CODE),
        Example("languages", "Three languages", _OTHER),
        Example("sea", "The same again and again, but once", _AGAIN),
        Example(
            "reference", "Python reference, unread by the n-gram models", rest[: rest.rfind("\n", 0, _REFERENCE) + 1]
        ),
    )


def find_example(name: str) -> Example | None:
    """The example of a name; None if there is none."""
    return next((example for example in examples() if example.name == name), None)
