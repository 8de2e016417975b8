"""Units by name."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from bitmeter.errors import BitmeterError, ChoiceError, MissingSourceError
from bitmeter.text.formats import NOT_JOINED
from bitmeter.text.units.named import units_of
from bitmeter.text.units.words import Words
from tests.text.helpers import EVERY


def test_names_and_fingerprints() -> None:
    for units in EVERY:
        if "@" not in units.fingerprint:
            assert units_of(units.name) == units
            assert units_of(units) is units
    prints = [units.fingerprint for units in EVERY]
    assert len(set(prints)) == len(prints)
    assert Words("kenlm") == Words("ascii")  # the same bytes separate
    assert hash(Words("kenlm")) == hash(Words())
    assert Words(vocabulary=["ab", "c"]).fingerprint != Words(vocabulary=["a", "bc"]).fingerprint
    assert Words() != "words"


def test_names_have_a_convention_or_a_file_after_the_colon() -> None:
    assert units_of("words:kenlm") == Words()
    assert units_of("words:lmplz") == Words("lmplz") != Words()
    with pytest.raises(MissingSourceError, match="there is no tokenizer file"):
        units_of("tokenizer:no/such.json")


def test_plain_units_do_not_import_the_others() -> None:
    code = "import sys\nfrom bitmeter.text.units.named import units_of\n"
    code += "[units_of(name) for name in ('bytes', 'chars', 'words')]\n"
    code += "print(*(m for m in ('unicode', 'tokenizers') if 'bitmeter.text.units.' + m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"


def test_a_wrong_name_lists_the_right_ones() -> None:
    with pytest.raises(ChoiceError) as caught:
        units_of("letters")
    assert str(caught.value) == (
        "units is 'letters'; it must be one of 'bytes', 'chars', 'graphemes', 'words', 'unicode-words', 'sentences', "
        "'tokenizer:FILE', 'sentencepiece:FILE'"
    )


BAD: list[tuple[Any, type[BitmeterError]]] = [
    (lambda: units_of("letters"), ChoiceError),
    (lambda: units_of("words:python"), ChoiceError),
    (lambda: units_of("tokenizer:"), ChoiceError),
    (lambda: units_of(None), ChoiceError),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "kind"), BAD)
def test_errors(call: Any, kind: type[BitmeterError]) -> None:
    with pytest.raises(kind):
        call()


def test_the_names_of_units_that_do_not_join_are_those_that_say_so() -> None:
    """By the declaration of each class, so that the list cannot fall behind."""
    named = ("bytes", "chars", "graphemes", "words", "unicode-words", "sentences")
    assert tuple(name for name in named if not units_of(name).joins) == NOT_JOINED
