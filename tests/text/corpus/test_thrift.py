"""Thrift's compact protocol: values written by hand after its specification."""

from __future__ import annotations

import io

import pytest

from bitmeter.text.corpus.thrift import BINARY, I32, I64, LIST, STRUCT, Compact, ThriftError


def reader(data: bytes, most: int = 1 << 20) -> Compact:
    return Compact(io.BytesIO(b"before" + data), 6, most)


def test_fields_numbers_and_bytes() -> None:
    # Field 1 (delta 1), i32 150 = zigzag 300 = AC 02; field 20 (a delta above 15, so zigzag 40), i64 -1 = zigzag 1;
    # field 21, "ab"; field 22, a list of three i32; stop.
    found = reader(bytes([0x15, 0xAC, 0x02, 0x06, 0x28, 0x01, 0x18, 2, 97, 98, 0x19, 0x35, 0, 2, 1, 0]))
    fields = found.fields()
    assert next(fields) == (1, I32)
    assert found.integer() == 150
    assert next(fields) == (20, I64)
    assert found.integer() == -1
    assert next(fields) == (21, BINARY)
    assert found.binary() == b"ab"
    assert next(fields) == (22, LIST)
    assert [found.integer() for _ in found.elements(I32)] == [0, 1, -1]
    assert list(fields) == []
    assert found.at == 16


#: A value of each type, by the bytes of its field 1 and of its value.
VALUES = {
    "true": "11", "false": "12", "byte": "13 ff", "i16": "14 03", "i32": "15 8001", "i64": "16 ffffffffffffffffff01",
    "double": "17 0102030405060708", "binary": "18 03 000000", "list": "19 25 02 04",
    "long list": "19 f5 10" + 16 * "00", "booleans": "19 31 010201", "set": "1a 18 01 00", "empty map": "1b 00",
    "map": "1b 02 58 01 01 61 02 00", "struct": "1c 15 02 00", "nested": "1c 1c 19 1c 00 00 00",
}  # fmt: skip


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_every_type_is_skipped(value: str) -> None:
    data = bytes.fromhex(value) + bytes([0x15, 0x0E, 0])  # field 2, an i32 of 7
    found = reader(data)
    fields = found.fields()
    _, kind = next(fields)
    found.skip(kind)
    assert next(fields) == (2, I32)
    assert found.integer() == 7
    for short in range(len(bytes.fromhex(value))):
        cut = reader(data[:short])
        with pytest.raises(ThriftError, match="goes on beyond"):
            cut.skip(STRUCT)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (bytes([0x1D, 0]), "of type 13"),
        (bytes([0x15]) + b"\xff" * 10 + b"\0", "more than 10 bytes"),
        (b"\x1c" * 1000, "nested more than 16 deep"),
        (b"\x19" * 1000, "nested more than 16 deep"),
        (bytes([0x18]) + b"\xff" * 9 + b"\x01", "goes on beyond"),  # bytes: 2**64 - 1
        (bytes([0x19, 0xFC]) + b"\xff" * 9 + b"\x01", "goes on beyond"),  # as many structs
        (bytes([0x1B]) + b"\xff" * 9 + b"\x01\x55", "goes on beyond"),  # as many entries
        (bytes([0x19, 0x10]), "of type 0"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(value: bytes, reason: str) -> None:
    found = reader(value)
    with pytest.raises(ThriftError, match=reason):
        found.skip(STRUCT)


def test_numbers_have_64_bits() -> None:
    assert reader(b"\xff" * 9 + b"\x01").integer() == -(2**63)
    with pytest.raises(ThriftError, match="64 bits"):
        reader(b"\xff" * 9 + b"\x02").integer()


def test_a_list_of_another_type_is_refused() -> None:
    with pytest.raises(ThriftError, match="type 5 instead of 12"):
        list(reader(b"\x15\x00").elements(STRUCT))
    assert list(reader(b"\x00").elements(STRUCT)) == []


def test_no_more_is_read_than_allowed() -> None:
    data = bytes([0x18, 100]) + bytes(100) + b"\0"
    found = reader(data, 50)
    with pytest.raises(ThriftError, match="beyond its 50 bytes"):
        found.skip(STRUCT)


def test_a_long_struct_is_read_in_few_reads() -> None:
    class Counted(io.BytesIO):
        total = 0

        def read(self, size: int | None = -1, /) -> bytes:
            data = super().read(size)
            self.total += len(data)
            return data

    size = 1 << 20
    file = Counted(b"\x15\x00" * (size // 2) + b"\0")
    found = Compact(file, 0, size + 1)
    for _, kind in found.fields():
        found.skip(kind)
    assert found.at == size + 1
    assert file.total < 4 * size
