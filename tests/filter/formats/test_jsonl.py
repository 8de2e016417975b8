"""JSON lines: the core agrees with Python's json on every line; bad ones are set aside."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bitmeter import _core
from bitmeter.errors import DamagedSourceError, FileFormatError
from bitmeter.filter import records
from bitmeter.filter.formats import jsonl
from bitmeter.filter.formats.jsonl import jsonl_rows
from bitmeter.filter.records import Bad, Fields, Rows
from bitmeter.text.corpus.encoding import encode


def read(path: Path, fields: Fields = Fields()) -> list[Rows]:  # noqa: B008
    return list(jsonl_rows(str(path), fields))


def reference(data: bytes, fields: Fields) -> list[tuple[bytes, str] | None]:
    """Each line as `json.loads` reads it: its text and language, or None; blank lines are left out."""
    found: list[tuple[bytes, str] | None] = []
    for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if not line or line.isspace():
            continue
        row: Any
        try:
            row = json.loads(line.decode("utf-8", "surrogateescape"))
        except (ValueError, RecursionError):
            row = None
        text = row.get(fields.text) if isinstance(row, dict) else None
        language = row.get(fields.language) if isinstance(row, dict) and fields.language else ""
        if isinstance(text, str) and isinstance(language, str):
            found.append((encode(text), language))
        else:
            found.append(None)
    return found


def check(tmp_path: Path, data: bytes, fields: Fields = Fields()) -> list[Rows]:  # noqa: B008
    """The records of a file are those of the reference, whichever of the two readers took a line."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(data)
    batches, wanted = read(path, fields), reference(data, fields)
    whole: list[tuple[bytes, str] | None] = [None] * len(wanted)
    for rows in batches:
        languages = rows.languages if fields.language else [""] * len(rows.texts)
        for at, text, language in zip(rows.good, rows.texts, languages, strict=True):
            whole[rows.first + int(at)] = text, language
        assert sorted([*map(int, rows.good), *(bad.row - rows.first for bad in rows.bad)]) == list(range(len(rows)))
    assert whole == wanted
    raw = [line for rows in batches for line in rows.raw]
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    assert raw == [line for line in lines if line and not line.isspace()]
    return batches


#: Values of all kinds, as Python writes them: NaN and infinities, lone surrogates, nested to some depth.
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(["text", "lang", "id", "t\u00e9xt", 'te"xt', "", "\ud800"])


@st.composite
def written(draw: st.DrawFn) -> bytes:
    """A line: an object with names that may come twice, in any spacing, with or without escapes; perhaps damaged."""
    members = []
    for name, value in draw(st.lists(st.tuples(NAMES, VALUES), max_size=5)):
        plain = draw(st.booleans())
        members.append(f"{json.dumps(name, ensure_ascii=plain)}:{json.dumps(value, ensure_ascii=not plain)}")
    gap = draw(st.sampled_from(["", " ", "\t", "\r"]))
    line = encode(gap + "{" + f",{gap}".join(members) + gap + "}" + draw(st.sampled_from(["", "\r", " ", "x", "}"])))
    if draw(st.booleans()):
        at = draw(st.integers(0, len(line)))
        more = draw(st.binary(max_size=3) | st.sampled_from([b'"', b"\\", b"\\u", b"{", b"]", b",", b"-", b"0", b"."]))
        line = line[:at] + more + line[at + draw(st.integers(0, 2)) :]
    return line


@given(st.lists(written() | st.sampled_from([b"", b" \x0b", b"\xef\xbb\xbf{}"]), max_size=4), st.booleans())
@example([b'{"text": "\\ud83d\\ude00 \\ud83d", "text": "a\\/b"}'], False)
def test_every_line_is_read_as_json_reads_it(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], named: bool,
) -> None:  # fmt: skip
    check(tmp_path_factory.mktemp("lines"), b"\n".join(lines), Fields(language="lang" if named else ""))


@pytest.mark.parametrize(
    "value",
    [
        "NaN", "-Infinity", "Infinity", "-NaN", "01", "-", "-0", "1.", ".5", "1e", "1E+400", "1e-5", "+1", "0x1", "nul",
        "True", "1" * 5000, "1" * 5000 + ".5", "[" * 63 + "]" * 63, "[" * 70 + "]" * 70, "[" * 5000 + "]" * 5000,
        '{"a": [1, {"text": 3}]}', '"\x7f"', '"\\x41"', '"\\u12G4"', '"\\u12"', '"\t"', "[1,]", "{,}", '{"a" 1}', "'a'",
        '"\\ud800\\ud800"', '"\\udc00"', '"\\ud83d\\ude00"', "[] []", '"', '"\\"', '"\\', "\xa0", '"\u2028"',
    ],
)  # fmt: skip
def test_values_beside_the_text_are_those_that_json_takes(tmp_path: Path, value: str) -> None:
    lines = [
        f'{{"text": "a\\n", "other": {value}}}',
        f'{{"text": {value}}}',
        f'{{"other": {value}, "text": "b"}}',
        value,
    ]
    check(tmp_path, "\n".join(lines).encode())


def test_sound_lines_are_not_left_to_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def parsed(*_: Any) -> str:
        return "asked"

    monkeypatch.setattr(jsonl, "_parsed_row", parsed)
    sound: list[dict[str, Any]] = [
        {"text": "plain", "id": 3}, {"id": [1.5, -2e300, None, {"a": True}], "text": "\u00e9 \U0001f600\n\t\"/\\"},
        {"text": "", "score": math.nan, "more": -math.inf, "big": 10**300},
    ]  # fmt: skip
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=plain) + "\r\n" for row in sound for plain in (False, True)))
    [rows] = read(path)
    assert list(rows.texts) == [encode(row["text"]) for row in sound for _ in range(2)]
    path.write_bytes(b'{"text": "\\ud800"}')
    assert read(path)[0].bad == [Bad(0, "line 1", "asked", b'{"text": "\\ud800"}')]


def test_names_are_compared_after_unescaping_and_the_last_counts() -> None:
    data = b'{"t\\u0065xt": "one"}\n{"text": 1, "te\\/xt": "no", "text": "two"}\n{"text": "a", "text": 1}\n{"x": "y"}'
    _, _, _, _, sound, texts, ends, *_ = _core.scan_records(data, b"text", None, [], [])
    assert sound.tolist() == [1, 1, 0, 0]
    assert (texts, ends.tolist()) == (b"onetwo", [3, 6])
    _, _, _, _, sound, *_ = _core.scan_records(data, b"text", None, [b"te/xt"], [])
    assert sound.tolist() == [1, 0, 0, 0]


def test_bad_lines_are_set_aside_with_place_and_reason(tmp_path: Path) -> None:
    lines = [
        b'\xef\xbb\xbf{"text": "one"}', b"", b"nonsense", b'{"text": null}', b'{"other": 1}', b'{"text": 7}', b"[1]",
        b'  {"text": "spaced"}  ', b'{"text": "bad \xff byte"}', b'{"text": "\\ud800"}', b'{"text": "x"} {}',
        b'{"text": "' + b"[" * 9 + b'"}', b"[" * 100_000,
    ]  # fmt: skip
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    [rows] = read(path)
    assert list(rows.texts) == [b"one", b"spaced", b"bad \xff byte", b"\xed\xa0\x80", b"[" * 9]
    assert [(bad.place, bad.row) for bad in rows.bad] == [
        ("line 3", 1), ("line 4", 2), ("line 5", 3), ("line 6", 4), ("line 7", 5), ("line 11", 9), ("line 13", 11),
    ]  # fmt: skip
    assert "null" in rows.bad[1].reason
    assert "no field 'text'; it has 'other'" in rows.bad[2].reason
    assert [rows.raw[at] for at in rows.good][1] == lines[7]
    assert len(rows) == 12


def test_languages_come_with_their_texts(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a", "lang": "en"}\n{"text": "b"}\n{"text": "c", "lang": "de"}\n')
    [rows] = read(path, Fields(language="lang"))
    assert rows.languages == ["en", "de"]
    assert "lang" in rows.bad[0].reason


def test_a_field_that_is_to_be_added_must_not_be_there(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n{"text": "b", "perplexity": 3}\n')
    with pytest.raises(FileFormatError, match=r"line 2 has a field 'perplexity'.*--prefix"):
        read(path, Fields(added=("perplexity",)))


def test_batches_are_bounded_and_numbered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "BATCH_ROWS", 3)
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"text": str(number)}) + "\n" for number in range(8)))
    batches = read(path)
    assert [(rows.first, len(rows)) for rows in batches] == [(0, 3), (3, 3), (6, 2)]


def test_records_that_are_too_long_do_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "LONGEST", 20)
    monkeypatch.setattr(jsonl, "_READ", 8)
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n{"text": "' + "b" * 500 + '"}\n{"text": "c"}\n{"text": "' + "d" * 99)
    batches = read(path)
    assert [text for rows in batches for text in rows.texts] == [b"a", b"c"]
    assert [(bad.place, bad.row) for rows in batches for bad in rows.bad] == [("line 2", 1), ("line 4", 3)]
    assert all(len(bad.raw) <= 20 for rows in batches for bad in rows.bad)


def test_an_empty_file_has_no_records_and_a_cut_one_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"")
    assert read(tmp_path / "a.jsonl") == []
    (tmp_path / "b.jsonl.gz").write_bytes(b"\x1f\x8b\x08\x00")
    with pytest.raises(DamagedSourceError):
        read(tmp_path / "b.jsonl.gz")
