"""JSON from strangers: each field is what it must be, or an error that names the file and the field."""

from __future__ import annotations

from typing import Any

import pytest

from bitmeter._util.fields import Fields, parse_json, read_fields
from bitmeter.errors import BitmeterError, FileFormatError, ModelError


def of(text: str, error: type[BitmeterError] = FileFormatError) -> Fields:
    return read_fields(text, "f.json", "f.json is not sound", "Make it again", error)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not JSON at line 1"),
        ("[1", "not JSON"),
        (b"\xff{}", "not UTF-8 at byte 0"),
        ('{"a": 1, "a": 1}', "'a' occurs twice"),
        ('{"b": {"c": 1, "c": 2}}', "'c' occurs twice"),
        ("[NaN]", "NaN, which is not JSON"),
        ("[-Infinity]", "-Infinity, which is not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("9" * 5000, "a number of 5,000 digits, and no count"),
    ],
)
def test_what_is_not_json_is_refused(text: str | bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_json(text)
    with pytest.raises(FileFormatError, match=rf"f\.json is not sound: .*{reason}.*\. Make it again"):
        read_fields(text, "f.json", "f.json is not sound", "Make it again")


@pytest.mark.parametrize("text", ["[]", "1", "null", '"x"', "true"])
def test_only_an_object_has_fields(text: str) -> None:
    with pytest.raises(ModelError, match="where an object belongs"):
        of(text, ModelError)


GOOD = of(
    '{"n": 3, "x": 0.5, "t": "a", "f": true, "ns": [1, 2], "xs": [1, "inf"], "ts": ["a"], "o": {"p": [{"n": 1}]}}'
)


def test_sound_fields_are_read() -> None:
    assert (GOOD.count("n"), GOOD.real("x"), GOOD.real("n"), GOOD.text("t"), GOOD.flag("f")) == (3, 0.5, 3.0, "a", True)
    assert GOOD.counts("ns").tolist() == [1, 2]
    assert GOOD.reals("xs", infinite=True).tolist() == [1.0, float("inf")]
    assert GOOD.texts("ts") == ["a"]
    assert GOOD.fields("o").list_of_fields("p")[0].count("n") == 1
    assert "n" in GOOD
    assert "m" not in GOOD
    assert not GOOD.is_null("n")


WRONG: dict[str, list[Any]] = {
    "count": ["-1", "1.5", "true", "null", '"1"', "1e999", "9007199254740993", "1" + "0" * 400, "[]"],
    "real": ["true", "null", '"1"', '"inf"', "1e999", "-1e999", "1e101", "1" + "0" * 400, "{}"],
    "text": ["1", "null", "[]", '"\\ud800"'],
    "flag": ["1", "0", "null", '"true"'],
    "counts": ["1", "[true]", "[1.0]", "[-1]", "[[1]]", "[null]", "[1e999]", "{}"],
    "reals": ["1", "[true]", '["x"]', "[[1]]", "[null]", "[1e999]", '["inf"]'],
    "texts": ['"a"', "[1]", "[null]", '["\\udfff"]'],
    "fields": ["[]", "1", "null"],
    "list_of_fields": ["{}", "[1]", "[[]]"],
}


@pytest.mark.parametrize(("method", "value"), [(method, value) for method, values in WRONG.items() for value in values])
def test_each_field_must_be_what_it_is_asked_for(method: str, value: str) -> None:
    found = of(f'{{"o": {{"field": {value}}}}}').fields("o")
    with pytest.raises(FileFormatError, match=r"f\.json is not sound: o\.field.* must be .*\. Make it again"):
        getattr(found, method)("field")
    with pytest.raises(FileFormatError, match=r"it has no field o\.other"):
        getattr(found, method)("other")


def test_options_and_ranges_are_kept() -> None:
    with pytest.raises(FileFormatError, match="one of b, c"):
        GOOD.text("t", ("b", "c"))
    with pytest.raises(FileFormatError, match="from 0 to 2"):
        GOOD.count("n", high=2)
    with pytest.raises(FileFormatError, match=r"ns\[1\] is 2; it must be a whole number from 0 to 1"):
        GOOD.counts("ns", high=1)
