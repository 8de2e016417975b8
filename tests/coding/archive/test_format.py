"""Archives: every text comes back, and what is damaged is an error and leaves no file."""

from __future__ import annotations

import base64
import hashlib
import io
import itertools
import json
import random
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

import bitmeter as bm
from bitmeter.coding.archive import format as archives
from bitmeter.coding.archive.header import VERSION
from bitmeter.errors import BitmeterError, FileFormatError, InputTypeError, MissingSourceError, ModelError
from tests.coding.archive.forging import STORED, forged, forged_header, frame, header_of, parts
from tests.coding.models import Plain, byte_mixture, word_mixture, words
from tests.peak import PROMISED, peak_of

NGRAM = words()
MODELS: dict[str, Any] = {
    "kt": bm.KrichevskyTrofimov(), "uniform": bm.Uniform(), "ngram": NGRAM, "plain": Plain(),
    "universal": bm.Universal("small"), "words mixed": word_mixture(), "bytes mixed": byte_mixture(),
}  # fmt: skip


def small_archive(tmp_path: Path) -> bytes:
    bm.compress("kt", b"to be or not to be", tmp_path / "small.bmz")
    return (tmp_path / "small.bmz").read_bytes()


def test_an_archive_cut_anywhere_is_an_error(tmp_path: Path) -> None:
    whole = small_archive(tmp_path)
    for size in range(len(whole)):
        with pytest.raises(FileFormatError):
            bm.decompress(whole[:size], tmp_path / "x")
    with pytest.raises(FileFormatError, match="goes on after its end"):
        bm.decompress(whole + b"\0", tmp_path / "x")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["small.bmz"]


def test_an_archive_with_any_bit_flipped_is_an_error(tmp_path: Path) -> None:
    whole = small_archive(tmp_path)
    for place, bit in itertools.product(range(len(whole)), (1, 16, 128)):
        wrong = bytearray(whole)
        wrong[place] ^= bit
        with pytest.raises((FileFormatError, ModelError)):
            bm.decompress(bytes(wrong), tmp_path / "x")
    assert not (tmp_path / "x").exists()


def resealed(whole: bytes, place: int, value: int) -> bytes:
    """A byte of the coded text changed, and the checksum made to fit: only the hash of the text can tell."""
    header = archives.read_header(io.BytesIO(whole), "x")
    start = header.size
    size, coded_size, _ = struct.unpack_from("<III", whole, start)
    coded = bytearray(whole[start + 12 : start + 12 + coded_size])
    coded[place] ^= value
    sizes = struct.pack("<II", size, coded_size)
    return whole[:start] + sizes + struct.pack("<I", zlib.crc32(coded, zlib.crc32(sizes))) + bytes(coded)


@pytest.mark.parametrize("model", ["kt", "ngram", "plain", "universal", "words mixed", "bytes mixed"])
def test_forged_bytes_decode_to_the_text_or_to_an_error(model: str, tmp_path: Path) -> None:
    text = b"to be or xyzzy  \n that is the question\n"
    made = bm.compress(MODELS[model], text, tmp_path / "x.bmz")
    whole = (tmp_path / "x.bmz").read_bytes()
    for place, value in itertools.product(range(made.payload), (1, 64, 255)):
        try:
            bm.decompress(resealed(whole, place, value), tmp_path / "x", model=MODELS[model], force=True)
        except FileFormatError:
            continue
        assert (tmp_path / "x").read_bytes() == text


def test_a_newer_format_and_other_files_are_named(tmp_path: Path) -> None:
    bm.compress("kt", b"to be or not to be", tmp_path / "long.bmz", long_header=True)
    whole = bytearray((tmp_path / "long.bmz").read_bytes())
    whole[8] = VERSION + 1
    with pytest.raises(FileFormatError, match="newer bitmeter"):
        bm.decompress(bytes(whole), tmp_path / "x")
    with pytest.raises(FileFormatError, match="not an archive"):
        bm.decompress(b"PK\x03\x04 zip", tmp_path / "x")
    with pytest.raises(FileFormatError, match="as text"):
        bm.decompress(bytes(whole).replace(b"\r\n", b"\n"), tmp_path / "x")
    with pytest.raises(MissingSourceError):
        bm.decompress(tmp_path / "missing.bmz", tmp_path / "x")
    with pytest.raises(InputTypeError):
        bm.compress("kt", 3, tmp_path / "x")


# ---- lengths that a file only says ----------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["kt", "uniform", "ngram", "plain", "universal", "words mixed"])
@pytest.mark.parametrize("said", [(1 << 30) - 1, 1 << 30, (1 << 32) - 1])
def test_a_block_longer_than_its_coded_bytes_can_hold_is_refused_before_it_is_decoded(
    model: str, said: int, tmp_path: Path
) -> None:
    bm.compress(MODELS[model], b"to be or not to be\n", tmp_path / "x.bmz")
    fields, embedded, [(_, coded)] = parts((tmp_path / "x.bmz").read_bytes())
    for wrong in (
        forged(fields, embedded, [(said, coded)]),
        forged(fields | {"bytes": said}, embedded, [(said, coded)]),
    ):
        with pytest.raises(FileFormatError, match=r"no sound length|coded bytes cannot"):
            bm.decompress(wrong, tmp_path / "x", model=MODELS[model])


def test_decoding_stops_where_the_coded_bytes_end(tmp_path: Path) -> None:
    """A forged block of a megabyte costs as many predictions as its few bytes hold: 8 bits each, by a uniform model."""
    bm.compress(Plain(), b"to be or not to be", tmp_path / "x.bmz")
    fields, embedded, [(_, coded)] = parts((tmp_path / "x.bmz").read_bytes())
    seen: list[float] = []
    with pytest.raises(FileFormatError, match="end before the text does"):
        bm.decompress(
            forged(fields | {"bytes": 1 << 20}, embedded, [(1 << 20, coded)]), tmp_path / "x", model=Plain(),
            progress=lambda step: seen.append(step.done),
        )  # fmt: skip
    assert max(seen, default=0) < 1000
    for core in (bm.KrichevskyTrofimov(), bm.Uniform(), NGRAM.for_bytes()):
        with pytest.raises(FileFormatError, match="end before the text does"):
            core.coder().decode(b"\x9c\x01\xff", 1 << 20)


def test_a_text_that_so_few_bytes_cannot_hold_is_refused(tmp_path: Path) -> None:
    fields, embedded, frames = parts(small_archive(tmp_path))
    with pytest.raises(FileFormatError, match="it says that it holds 1,099,511,627,776 bytes of text"):
        bm.decompress(forged(fields | {"bytes": 1 << 40}, embedded, frames), tmp_path / "x")
    with pytest.raises(FileFormatError, match="more coded bytes than its text can take"):
        bm.decompress(header_of(fields) + frame(1, b"abc", coded_size=(1 << 32) - 1), tmp_path / "x")
    with pytest.raises(FileFormatError, match="not those that were written"):
        bm.decompress(header_of(fields) + frame(18, b"abc", coded_size=5000), tmp_path / "x")


def test_zeros_compress_as_far_as_they_always_did(tmp_path: Path) -> None:
    """What is legitimate stays readable: a block of a megabyte in one or two bytes."""
    made = bm.compress(bm.Distribution({0: 1.0}), bytes(3 << 20), tmp_path / "x.bmz", embed=True)
    assert made.payload <= 3
    bm.decompress(tmp_path / "x.bmz", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == bytes(3 << 20)


def test_hostile_archives_take_little_memory(tmp_path: Path) -> None:
    fields, embedded, [(size, coded)] = parts(small_archive(tmp_path))
    large = (1 << 32) - 1
    hostile = [
        header_of(fields) + frame(size, coded, coded_size=large),
        header_of(fields | {"bytes": large}) + frame(large, coded, coded_size=large),
        forged(fields | {"bytes": 1 << 40}, embedded, [(1 << 30, coded)] * 1000),
        forged(fields | {"bytes": (1 << 30) + 4}, embedded, [(1 << 30, bytes(20_000)), (4, b"")]),
        forged(fields | {"embedded": 1 << 28, "embedded_sha256": "0" * 64}, embedded, [(size, coded)]),
        forged(fields | {"embedded": 1 << 62, "embedded_sha256": "0" * 64}, embedded, [(size, coded)]),
        forged_header(b"[" * 65_536) + coded,
    ]  # fmt: skip
    for number, data in enumerate(hostile):
        (tmp_path / f"{number}.bmz").write_bytes(data)
    peak, lines = peak_of(
        "import bitmeter as bm\n"
        "from bitmeter.errors import BitmeterError\n"
        "for path in sys.argv[2:]:\n"
        "    for source in (path, open(path, 'rb').read()):\n"
        "        try:\n"
        "            bm.decompress(source, sys.argv[1])\n"
        "        except BitmeterError as error:\n"
        "            print(type(error).__name__)\n",
        tmp_path / "x", *sorted(tmp_path.glob("?.bmz")),
    )  # fmt: skip
    assert lines == ["FileFormatError"] * (2 * len(hostile))
    assert peak < PROMISED


# ---- blocks that are stored as they are ------------------------------------------------------------------------------


NOISE = random.Random(7).randbytes(20_000)


@pytest.mark.parametrize("long_header", [False, True])
@pytest.mark.parametrize("preset", ["small", "fast"])
def test_noise_is_stored_and_what_follows_is_coded_by_what_was_learned(
    preset: str, long_header: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "BLOCK", len(NOISE))
    text = b"to be or not to be\n" * 1000
    text += b" " * (-len(text) % len(NOISE)) + NOISE + NOISE
    made = bm.compress(f"universal:{preset}", text, tmp_path / "x.bmz", long_header=long_header)
    assert bm.decompress(tmp_path / "x.bmz", tmp_path / "x").stored
    assert (tmp_path / "x").read_bytes() == text
    # The first noise is stored; its copy is not, because the model has read it.
    assert made.stored == len(NOISE)
    assert made.payload < len(NOISE) + 3000
    assert f"{len(NOISE):,} of these stored as they are" in str(made)
    # The bits are those of the model's code of all of the text, as in its score.
    assert made.bits == pytest.approx(bm.score(f"universal:{preset}", text).bits, rel=1e-9)


def test_a_megabyte_of_noise_costs_its_bytes_a_frame_and_a_header(tmp_path: Path) -> None:
    # 8.002 bits per byte leave 250 bytes for all that is not the text.
    made = bm.compress("universal:small", random.Random(8).randbytes(1_000_000), tmp_path / "x.bmz")
    assert made.stored == made.payload == 1_000_000
    assert made.bits_per_byte <= 8.002


def test_models_that_cannot_learn_without_coding_store_nothing(tmp_path: Path) -> None:
    for model in ("kt", "uniform"):
        made = bm.compress(model, NOISE, tmp_path / f"{model}.bmz")
        assert made.stored == 0
        assert not bm.decompress(tmp_path / f"{model}.bmz", tmp_path / model).stored


def test_stored_blocks_that_say_what_is_not_so_are_refused(tmp_path: Path) -> None:
    noise = NOISE[:300]
    bm.compress("universal:small", noise, tmp_path / "x.bmz")
    fields, _, [(size, coded)] = parts((tmp_path / "x.bmz").read_bytes())
    assert fields["stored"]
    assert coded == noise
    start = header_of(fields)
    bm.decompress(start + frame(size, coded, coded_size=size | STORED), tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == noise
    long = (1 << 20) + 1
    wrong = {
        "has two lengths": start + frame(size, coded, coded_size=(size - 1) | STORED),
        "no sound length": start + frame(long, coded, coded_size=long | STORED),
        "not those that were written": start + frame(size, coded[:-1], coded_size=size | STORED),
        "another text than was coded": start + frame(size, coded[:-1] + b"x", coded_size=size | STORED),
        # Without the header's word the bit is one of the length's.
        "more coded bytes than its text can take": header_of(fields | {"stored": False})
        + frame(size, coded, coded_size=size | STORED),
    }
    for why, archive in wrong.items():
        with pytest.raises(FileFormatError, match=why):
            bm.decompress(archive, tmp_path / "y")
    fields = parts(small_archive(tmp_path))[0]
    by_kt = header_of(fields | {"stored": True, "bytes": size}) + frame(size, coded, coded_size=size | STORED)
    with pytest.raises(FileFormatError, match="which kt never does"):
        bm.decompress(by_kt, tmp_path / "y")
    assert not (tmp_path / "y").exists()


#: Written before blocks could be stored: a text whose last 40 bytes are noise, by universal:small, with either header.
OLD = (
    b"i9$_U4GJ0xk9BToc4cyNVQe~cZDDL|>tGb;QUCw|005K7tLr*L`Ca8%U>a_?xER;0$BI$_002h-008kh{?Lnyf$k@!Z$YpNsWGx;<=T`k<)x|K&q"
    b"1Ql+#`P9mW^!H+LSBeW?L}3L2YS$A8XOm&{<P*r3jN;4G4*YuAK26t8a~em;",
    b"i9$_U4GJ0x0RR912>}2Adm?RbWMyn3Iv^r-ZfSO9a&uv9I&*DdY-}PdAR=aIZf9k3aB^vGbRs$+B6V(Qc4cyNVQeijEpu&QY-}PdAR={cX>@ZUIv"
    b"^rqd30rSA}k;xaB^j1X>)0BZX!A$Gcqh7B4T-TWpg4rAUHBCAR=>UVKOx~B03-<IWuE8VPa)sGhs9{W;r!vWi>T9HZU<^Hf3TsVmL84V=yr{VPQCB"
    b"H!?CcGG=9BIWsvlVmUW7VlXjgGGj6`A}k;xWo=?*WMpMzB03;2EFdCfZDM6)WMyPub7)~QH8vtTAR;0xAR=~Ua&u{KZX!A$A}}s7E-)f}ARr(hARr"
    b"(hARr(hARr(hAj%=TI#K`t07n1-0P#8g(2I+K?kA>iL9h#{F|uXl+LSKkrK#S}L88#yBYxkOjcnE0lq=$9TQIvpZE1ZUYthrtSyOVQ2$Nh52#JHPo"
    b"bev3Z;gML",
)


@pytest.mark.parametrize("written", OLD)
def test_archives_of_the_version_before_decode(written: bytes, tmp_path: Path) -> None:
    text = b"to be or not to be, that is the question; " + random.Random(3).randbytes(40)
    assert not bm.decompress(base64.b85decode(written), tmp_path / "x").stored
    assert (tmp_path / "x").read_bytes() == text


def test_only_archives_with_stored_blocks_have_another_mark(tmp_path: Path) -> None:
    """Whoever has only the version before says of these that they are of another version of the model."""
    name = b"universal:small"
    start = b"\x89BMZ\r\n\x1a\n" + bytes([128 + len(name)]) + name
    for text, what in ((b"to be or not to be, to be", b""), (NOISE[:300], b"\0stored")):
        bm.compress("universal:small", text, tmp_path / "x.bmz", force=True)
        mark = hashlib.sha256(b"universal-2-small\0bytes\x0032" + what).digest()[:4]
        assert (tmp_path / "x.bmz").read_bytes().startswith(start + mark)


NUMBERS = [
    -1,
    0,
    1,
    11,
    12,
    255,
    1 << 16,
    (1 << 20) + 1,
    (1 << 30) - 1,
    1 << 31,
    (1 << 32) - 1,
    1 << 40,
    2**63 - 1,
    2**63,
]
VALUES: list[Any] = [
    *NUMBERS,
    None,
    True,
    "",
    "0" * 64,
    "kt",
    "uniform:3",
    "universal:small",
    "x" * 3000,
    [],
    {},
    [[]],
    0.5,
]


def mutated(whole: bytes, rng: random.Random) -> bytes:
    """One to three changes of an archive, with every checksum repaired."""
    fields, embedded, frames = parts(whole)
    body: bytes | None = None
    for _ in range(rng.randint(1, 3)):
        kind, at = rng.randrange(5), rng.randrange(len(frames))
        size, coded = frames[at]
        if kind == 0:
            fields[rng.choice(list(fields))] = rng.choice(VALUES)
        elif kind == 1:
            frames[at] = (rng.choice([number for number in NUMBERS if 0 <= number < 1 << 32]), coded)
        elif kind == 2:
            wrong = bytearray(coded or b"x")
            wrong[rng.randrange(len(wrong))] ^= 1 << rng.randrange(8)
            frames[at] = (size, bytes(wrong))
        elif kind == 3:
            frames[at] = (size, rng.choice([b"", coded[:-1], coded + b"\0", bytes(5000), rng.randbytes(50)]))
        else:
            text = bytearray(json.dumps(fields).encode())
            text[rng.randrange(len(text))] = rng.randrange(256)
            body = bytes(text)
    if body is None:
        return forged(fields, embedded, frames)
    return forged_header(body, rng.choice([1, 2])) + embedded + b"".join(frame(*one) for one in frames)


@pytest.mark.parametrize(("model", "number"), [("kt", 2000), ("uniform", 400), ("ngram", 400), ("plain", 150)])
def test_mutations_with_repaired_checksums_give_the_text_or_a_typed_error(
    model: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anything but BitmeterError and OSError would fail this test."""
    text = b"to be or xyzzy not to be\n"
    monkeypatch.setattr(archives, "BLOCK", 10)
    bm.compress(MODELS[model], text, tmp_path / "x.bmz", embed=model == "ngram")
    whole = (tmp_path / "x.bmz").read_bytes()
    rng = random.Random(number)
    refused = 0
    for _ in range(number):
        given = None if rng.random() < 0.2 and model != "plain" else MODELS[model]
        try:
            bm.decompress(mutated(whole, rng), tmp_path / "x", model=given, force=True)
        except (BitmeterError, OSError):
            refused += 1
        else:
            assert (tmp_path / "x").read_bytes() == text
    assert refused > 0.9 * number
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "x") == ["x.bmz"]
