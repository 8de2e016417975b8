"""Compressors as models: the bytes that they count are those of a real file that decodes to the text."""

from __future__ import annotations

import bz2
import importlib
import lzma
import math
import zlib
from collections.abc import Callable
from itertools import pairwise
from types import ModuleType
from typing import Any

import brotli
import pyppmd
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter._util import compressors
from bitmeter.models.baseline import compressors as models
from bitmeter.models.protocols import Compressor
from bitmeter.text.corpus.sample import sample_text

TEXT = sample_text().encode()[:40_000]


def ppmd_file(data: bytes, order: int = 8) -> bytes:
    encoder = pyppmd.Ppmd7Encoder(order, 256 << 20)
    return bytes(encoder.encode(data) + encoder.flush())


def zstd_file(data: bytes, level: int) -> bytes:
    worker = zstandard.ZstdCompressor(level=level, write_checksum=True).compressobj()
    return bytes(worker.compress(data) + worker.flush())


#: What each library itself makes of a text in one call. Zstandard's one call would store the length, which a stream
#: does not know, and so is no expectation here; that what is counted is a real file is shown below.
ONE_SHOT: dict[str, Callable[[bytes], bytes]] = {
    "zlib": lambda data: zlib.compress(data, 9),
    "zlib:1": lambda data: zlib.compress(data, 1),
    "bz2": bz2.compress,
    "bz2:1": lambda data: bz2.compress(data, 1),
    "xz": lambda data: lzma.compress(data, preset=9),
    "xz:6": lambda data: lzma.compress(data, preset=6),
    "xz:3e": lambda data: lzma.compress(data, preset=3 | lzma.PRESET_EXTREME),
    "brotli": lambda data: bytes(brotli.compress(data, quality=11, lgwin=24)),
    "brotli:4": lambda data: bytes(brotli.compress(data, quality=4, lgwin=24)),
    "ppmd": ppmd_file,
    "ppmd:4": lambda data: ppmd_file(data, 4),
    "zstd:3": lambda data: zstd_file(data, 3),
    "zstd": lambda data: zstd_file(data, 19),
}


@pytest.mark.parametrize("spec", ONE_SHOT)
@pytest.mark.parametrize("data", [b"", b"a", TEXT], ids=["nothing", "a byte", "a text"])
def test_the_total_is_the_size_that_the_library_gives(spec: str, data: bytes) -> None:
    expected = len(ONE_SHOT[spec](data))
    meter = bm.load(spec).meter()
    meter.feed(data)
    assert meter.finish() == expected
    if data:
        score = bm.score(spec, data)
        assert score.bits == pytest.approx(8 * expected, rel=1e-15)
        assert score.bits_per_byte == pytest.approx(8 * expected / len(data), rel=1e-15)


def test_zstandard_counts_no_more_than_the_length_less_than_one_call() -> None:
    # The frame of one call holds the length of the text, up to 8 bytes; a stream's does not (RFC 8878, 3.1.1.1).
    one_call = len(zstandard.ZstdCompressor(level=19, write_checksum=True).compress(TEXT))
    meter = bm.load("zstd:19").meter()
    meter.feed(TEXT)
    assert 0 < one_call - meter.finish() <= 8


DECODED: dict[str, Callable[[bytes, int], bytes]] = {
    "zlib": lambda data, _: zlib.decompress(data),
    "bz2": lambda data, _: bz2.decompress(data),
    "xz:1": lambda data, _: lzma.decompress(data),
    "zstd:5": lambda data, _: zstandard.ZstdDecompressor().decompressobj().decompress(data),
    "brotli:5": lambda data, _: bytes(brotli.decompress(data)),
    "ppmd": lambda data, size: bytes(pyppmd.Ppmd7Decoder(8, 256 << 20).decode(data, size)),
}


@pytest.mark.parametrize("spec", DECODED)
def test_what_is_counted_decodes_to_the_text(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files: list[bytearray] = []

    class Collecting(compressors.SizeMeter):
        """Keeps what the meter throws away."""

        def __init__(self, stream: compressors.Stream) -> None:
            compress, flush = stream
            file = bytearray()
            files.append(file)

            def kept(part: bytes) -> bytes:
                file.extend(part)
                return part

            super().__init__((lambda data: kept(compress(data)), lambda: kept(flush())))

    monkeypatch.setattr(models, "SizeMeter", Collecting)
    monkeypatch.setattr(compressors, "BLOCK", 10_000)
    meter = bm.load(spec).meter()
    for start in range(0, len(TEXT), 7_777):
        meter.feed(TEXT[start : start + 7_777])
    size = meter.finish()
    (file,) = files
    assert len(file) == size
    assert DECODED[spec](bytes(file), len(TEXT)) == TEXT


@pytest.mark.parametrize("spec", ["zlib:6", "bz2", "xz:0", "zstd:3", "brotli:5", "ppmd:4"])
@settings(max_examples=5)
@given(cuts=st.lists(st.integers(0, 3_000_000), max_size=6))
def test_it_does_not_matter_how_the_text_comes(spec: str, cuts: list[int]) -> None:
    text = (TEXT * 60)[: 5 * (1 << 19)]  # Brotli's output depends on how much it is handed at once
    model, places = bm.load(spec), sorted({0, *(min(cut, len(text)) for cut in cuts), len(text)})
    whole, parts = model.meter(), model.meter()
    whole.feed(text)
    for start, stop in pairwise(places):
        parts.feed(text[start:stop])
    assert parts.finish() == whole.finish()


@pytest.mark.parametrize(
    ("spec", "allowed"),
    [
        ("zlib:10", "0 to 9"),
        ("bz2:0", "1 to 9"),
        ("xz:10", "0 to 9"),
        ("xz:ee", "0 to 9"),
        ("zstd:0", "1 to 22"),
        ("zstd:23", "1 to 22"),
        ("zstd:-1", "1 to 22"),
        ("zstd:fast", "1 to 22"),
        ("zstd:3 ", "1 to 22"),
        ("zstd:" + "9" * 5000, "1 to 22"),
        ("zstd:٣", "1 to 22"),
        ("brotli:12", "0 to 11"),
        ("ppmd:1", "2 to 64"),
        ("ppmd:65", "2 to 64"),
    ],
)
def test_levels_are_checked(spec: str, allowed: str) -> None:
    with pytest.raises(bm.errors.ModelError, match=f"needs a level from {allowed}; such as") as caught:
        bm.load(spec)
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize(
    ("spec", "name"),
    [("zlib", "zlib:9"), ("bz2", "bz2:9"), ("xz", "xz:9"), ("xz:9e", "xz:9e"), ("zstd", "zstd:19"),
     ("zstd:07", "zstd:7"), ("brotli", "brotli:11"), ("ppmd", "ppmd:8")],
)  # fmt: skip
def test_names_hold_the_setting_and_load_again(spec: str, name: str) -> None:
    model = bm.load(spec)
    assert model.name == name
    assert bm.load(model.name).fingerprint == model.fingerprint
    assert isinstance(model, Compressor)


def test_settings_and_programs_have_fingerprints_of_their_own() -> None:
    specs = ["zlib:8", "zlib:9", "bz2:9", "bz2:8", "xz:9", "xz:9e", "zstd:9", "zstd:19", "brotli:9", "ppmd:9", "ppmd:8"]
    assert len({bm.load(spec).fingerprint for spec in specs}) == len(specs)


@pytest.mark.parametrize(("package", "spec"), [("brotli", "brotli:5"), ("pyppmd", "ppmd")])
def test_a_missing_package_is_said_with_the_line_to_type(
    package: str, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.import_module

    def without(name: str, *rest: Any) -> ModuleType:
        if name == package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", without)
    with pytest.raises(bm.errors.MissingPackageError) as caught:
        bm.load(spec)
    model = spec.partition(":")[0]
    assert str(caught.value) == (
        f"The model {model} needs the package {package}, which is not installed. Type: pip install {package}"
    )


@pytest.mark.parametrize("spec", ["zlib", "bz2", "xz", "zstd", "brotli", "ppmd"])
def test_the_header_is_named(spec: str) -> None:
    score = bm.score(spec, TEXT)
    size = round(score.bits / 8)
    assert f"a file of {size:,} bytes, header included ({bm.load(spec).overhead})" in score.notes
    assert f"{size:,} bytes, header included" in str(score)


def test_what_needs_single_units_is_refused() -> None:
    score = bm.score("zlib", TEXT)
    with pytest.raises(bm.errors.UndefinedError, match="only a total"):
        score.perplexity("token")
    with pytest.raises(bm.errors.UndefinedError, match="only a total"):
        _ = score.trace
    for keywords in ({"first": "skip"}, {"eos": "yes"}, {"oov": "skipped"}):
        with pytest.raises(bm.errors.ModelError, match="only a total"):
            bm.score("zlib", TEXT, **keywords)  # type: ignore[arg-type]
    assert score.bits_per_word > score.bits_per_char
    assert math.isfinite(score.perplexity("char"))
