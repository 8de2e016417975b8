"""Models that travel in archives, and archives of a model that had read a text before."""

from __future__ import annotations

import functools
import hashlib
import io
import json
import struct
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import zstandard

import bitmeter as bm
from bitmeter.coding.archive import bundle as embedding
from bitmeter.coding.archive import format as archives
from bitmeter.coding.archive import header as headers
from bitmeter.errors import BitmeterError, FileFormatError, ModelError
from tests.coding.models import TEXT, Plain, word_mixture, words

PRIMED = bm.Universal("small").with_prime(TEXT)


@functools.cache
def network(kind: str, units: str) -> bm.Neural:
    made = bm.Neural(kind, units, width=8, layers=1, threads=1)
    return made.fit(TEXT * 20, epochs=0.1, looks=1)


def travelling() -> dict[str, Any]:
    return {
        "n-gram": words(),
        "compact n-gram": words().compact(),
        "n-gram of bytes": bm.NGram(3, units="bytes").fit(TEXT),
        "primed": PRIMED,
        "frozen": PRIMED.freeze(),
        "mixture of words": word_mixture(),
        "table": bm.Distribution({byte: 1 + byte % 5 for byte in range(256)}, normalise=True),
        "chain": bm.Conditional({a: {b: (2 if a == b else 1) / 257 for b in range(256)} for a in range(256)}, start=10),
        "network of bytes": network("lstm", "bytes"),
        "network of byte pairs": network("transformer", "bpe"),
        "network of words": network("lstm", "words"),
        "mixture of bytes": bm.MixtureModel([bm.NGram(3, units="bytes").fit(TEXT), PRIMED, "kt", bm.Cache(9)]),
    }


@pytest.mark.parametrize("name", travelling())
def test_what_travels_along_needs_nothing_else(name: str, tmp_path: Path) -> None:
    model = travelling()[name]
    parts = getattr(model, "components", ())
    paths = [getattr(part, "path", None) for part in (model, *parts)]
    # Tokenizers take UTF-8 alone.
    text = TEXT[:60] + (b"new words \xc3\xa9\n" if "pairs" in name else b"new words \xff\n")
    made = bm.compress(model, text, tmp_path / "x.bmz", embed=True)
    assert made.embedded > 300
    assert made.size == (tmp_path / "x.bmz").stat().st_size
    bm.decompress(tmp_path / "x.bmz", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == text
    assert [getattr(part, "path", None) for part in (model, *parts)] == paths, "where the models lie has not changed"
    bm.decompress(tmp_path / "x.bmz", tmp_path / "x", model=model, force=True)


def test_what_cannot_travel_says_so(tmp_path: Path) -> None:
    for model, said in (
        ("kt", "its name is enough"),
        (bm.Universal("small"), "its name is enough"),
        (Plain(), "has no file that could travel along"),
        (bm.Distribution({"to": 0.5, "be": 0.5}), "has no file that could travel along"),
        (bm.MixtureModel([Plain(), "kt"]), "its component plain has no file"),
    ):
        with pytest.raises(ModelError, match=said):
            bm.compress(model, b"to be", tmp_path / "x.bmz", embed=True)
    assert list(tmp_path.iterdir()) == []


def test_a_mixture_with_a_primed_model_is_saved(tmp_path: Path) -> None:
    mixture = bm.MixtureModel([PRIMED, "kt"], weights=[0.75, 0.25])
    with pytest.raises(ModelError, match="save it first"):
        bm.MixtureModel([bm.Universal("small").with_prime(b"abc")]).save(tmp_path / "mix.bmx")
    PRIMED.save(tmp_path / "primed.bmu")
    mixture.save(tmp_path / "mix.bmx")
    again = bm.load(tmp_path / "mix.bmx")
    assert again.fingerprint == mixture.fingerprint
    bm.compress(again, TEXT[:50], tmp_path / "x.bmz")
    assert bm.decompress(tmp_path / "x.bmz", tmp_path / "x").model == "mixture:mix.bmx"  # which is beside it


# ---- what comes along is not trusted ---------------------------------------------------------------------------------


def with_inside(whole: bytes, packed: bytes) -> bytes:
    """The archive with other bytes for its model, and a header that says so."""
    file = io.BytesIO(whole)
    header = archives.read_header(file, "x")
    rest = whole[header.size + header.embedded :]
    said = {field.name: getattr(header, field.name) for field in fields(header)}
    said |= {"embedded": len(packed), "embedded_sha256": hashlib.sha256(packed).hexdigest() if packed else ""}
    return headers.pack(archives.ArchiveHeader(**said)) + packed + rest


def pack(*files: tuple[bytes, bytes], number: int | None = None, tail: bytes = b"") -> bytes:
    content = embedding.MAGIC + struct.pack("<I", len(files) if number is None else number)
    for name, data in files:
        content += struct.pack("<H", len(name)) + name + struct.pack("<Q", len(data)) + data
    return zstandard.ZstdCompressor().compress(content + tail)


def mixture_file(**part: str) -> bytes:
    said = {"schema": "bitmeter.mixture/1", "components": [{"fingerprint": "x", **part}], "weights": [1.0],
            "buckets": False, "rows": None}  # fmt: skip
    return json.dumps(said).encode()


@pytest.mark.parametrize(
    ("packed", "said"),
    [
        (b"", "not here"),
        (b"not zstd", "cannot be unpacked"),
        (zstandard.ZstdCompressor().compress(b"no model"), "not a sound"),
        (pack(), "number of files"),
        (pack(number=5000), "number of files"),
        (pack((b"model.bmu", b"x"), number=2), "cut short"),
        (pack((b"model.bmu", b"x"), tail=b"y"), "goes on after its end"),
        (pack((b"../model.bmu", b"x")), "no sound name"),
        (pack((b"model.py", b"x")), "no sound name"),
        (pack((b"model.bmu", b"x"), (b"model.bmu", b"x")), "no sound name"),
        (pack((b"model.bmu", b"x")), "not a sound universal"),
        (pack((b"model.bmn", b"x")), "not a sound"),
        (pack((b"model.bmx", b"{}")), "not a sound mixture"),
        (pack((b"table.json", b"{}")), "the table inside is not sound"),
        (pack((b"table.json", b"[[")), "the table inside is not sound"),
        (pack((b"table.json", b'{"schema": "bitmeter.table/1", "rows": [{"labels": [[1]], "p": [1]}]}')), "not sound"),
        (pack((b"table.json", b'{"schema": "bitmeter.table/1", "rows": [{"labels": [1], "p": [2]}]}')), "not sound"),
        (pack((b"model.json", b"{}")), "not a sound|cannot be read|damaged|does not"),
        (pack((b"model.bmx", mixture_file(file="/etc/passwd"))), "did not come along"),
        (pack((b"model.bmx", mixture_file(file="../secret.bmn"))), "did not come along"),
        (pack((b"model.bmx", mixture_file(model="hf:somebody/something"))), "did not come along"),
        (pack((b"model.bmx", mixture_file(model="openai:http://localhost:1/v1"))), "did not come along"),
        (pack((b"model.bmx", mixture_file(model="universal:../x.bmu"))), "did not come along"),
        (pack((b"model.bmx", mixture_file(model="kt"))), "another model"),
    ],
)  # fmt: skip
def test_a_hostile_model_inside_is_an_error(packed: bytes, said: str, tmp_path: Path) -> None:
    bm.compress(words(), TEXT, tmp_path / "x.bmz", embed=True)
    wrong = with_inside((tmp_path / "x.bmz").read_bytes(), packed)
    with pytest.raises((FileFormatError, ModelError), match=said):
        bm.decompress(wrong, tmp_path / "x")
    assert [path.name for path in tmp_path.iterdir()] == ["x.bmz"]


def test_a_model_that_grows_without_end_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bm.compress(words(), TEXT, tmp_path / "x.bmz", embed=True)
    monkeypatch.setattr(embedding, "LARGEST_FILES", 1 << 20)
    bomb = zstandard.ZstdCompressor().compress(bytes(3 << 20))
    with pytest.raises(FileFormatError, match="would take more than"):
        bm.decompress(with_inside((tmp_path / "x.bmz").read_bytes(), bomb), tmp_path / "x")


# ---- read before -----------------------------------------------------------------------------------------------------


def test_the_same_text_must_have_been_read_before(tmp_path: Path) -> None:
    text = TEXT * 2
    plain = bm.compress("universal:small", text, tmp_path / "plain.bmz")
    made = bm.compress("universal:small", text, tmp_path / "x.bmz", prime=TEXT)
    assert made.payload < plain.payload / 2
    assert made.payload == bm.compress(PRIMED, text, tmp_path / "y.bmz").payload
    assert bm.decompress(tmp_path / "x.bmz", tmp_path / "a", prime=TEXT).bytes == len(text)
    bm.decompress(tmp_path / "x.bmz", tmp_path / "b", model=PRIMED)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == text
    PRIMED.save(tmp_path / "primed.bmu")
    bm.decompress(tmp_path / "x.bmz", tmp_path / "c", model=tmp_path / "primed.bmu")
    for archive, prime, said in (
        ("x.bmz", None, "after it had read a text; give the same one with --prime"),
        ("x.bmz", TEXT + b"x", "had read another text than this"),
        ("plain.bmz", TEXT, "had read no text before"),
    ):
        with pytest.raises(ModelError, match=said):
            bm.decompress(tmp_path / archive, tmp_path / "z", prime=prime)
    with pytest.raises(BitmeterError, match="cannot read a text beforehand"):
        bm.compress("kt", text, tmp_path / "z.bmz", prime=TEXT)
    bm.compress("kt", text, tmp_path / "kt.bmz")
    with pytest.raises(BitmeterError, match="cannot read a text beforehand"):
        bm.decompress(tmp_path / "kt.bmz", tmp_path / "z", prime=TEXT)
    assert not (tmp_path / "z").exists()
    # It may travel along as well; and then no text is needed.
    bm.compress("universal:small", text, tmp_path / "e.bmz", prime=TEXT, embed=True)
    assert bm.decompress(tmp_path / "e.bmz", tmp_path / "e").bytes == len(text)


def test_a_model_inside_that_unpacks_to_much_is_refused(tmp_path: Path) -> None:
    """Five kilobytes of zstd that would become 80 MB of a file; what the universal model has learned may."""
    bm.compress(words(), TEXT, tmp_path / "x.bmz", embed=True)
    whole = (tmp_path / "x.bmz").read_bytes()
    for packed in (pack((b"model.bmn", bytes(80 << 20))), zstandard.ZstdCompressor().compress(bytes(80 << 20))):
        assert len(packed) < 10_000
        with pytest.raises(FileFormatError, match="would take more than 67,108,864 bytes"):
            bm.decompress(with_inside(whole, packed), tmp_path / "x")
    with pytest.raises(FileFormatError, match="not a sound universal model"):
        bm.decompress(with_inside(whole, pack((b"model.bmu", bytes(80 << 20)))), tmp_path / "x")


def test_a_window_that_takes_much_memory_is_refused(tmp_path: Path) -> None:
    bm.compress(words(), TEXT, tmp_path / "x.bmz", embed=True)
    wide = zstandard.ZstdCompressionParameters(window_log=27, compression_level=1)
    packed = zstandard.ZstdCompressor(compression_params=wide).compressobj()
    data = packed.compress(b"x" * 100) + packed.flush()
    with pytest.raises(FileFormatError, match="cannot be unpacked"):
        bm.decompress(with_inside((tmp_path / "x.bmz").read_bytes(), data), tmp_path / "x")


class Foreign(bm.Predictor, bm.Bundled):
    """A model of another package that says it can travel."""

    BUNDLE = "model.rep"
    name, fingerprint, path = "foreign", "foreign-1", None

    def __init__(self) -> None:
        self.units = bm.units_of("bytes")  # type: ignore[misc]
        self._model = bm.load("uniform")

    def open(self, options: Any = None) -> Any:
        return self._model.open()

    def logprobs(self, ids: Any, bounds: Any) -> Any:
        return self._model.logprobs(ids, bounds)

    @property
    def outcomes(self) -> Any:
        return self._model.outcomes

    def stepper(self) -> Any:
        return self._model.stepper()

    def bundle(self, folder: Path, stem: str = "model") -> list[str]:
        (folder / self.BUNDLE).write_text("{}")
        return [self.BUNDLE]

    @classmethod
    def unbundle(cls, folder: Path, name: str) -> Any:
        return cls()


@pytest.mark.parametrize("first", ["model.rep", "model.bmn"])
def test_a_kind_that_no_decoder_knows_is_not_embedded(
    first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it takes the file name of a kind of ours."""
    monkeypatch.setattr(Foreign, "BUNDLE", first)
    with pytest.raises(ModelError, match=r"foreign is a Foreign of another package.*leave embed out"):
        bm.compress(Foreign(), TEXT, tmp_path / "x.bmz", embed=True)
    assert not (tmp_path / "x.bmz").exists()
    bm.compress(Foreign(), TEXT, tmp_path / "x.bmz")
    with pytest.raises(ModelError, match=r"foreign-1\), which is not here; name the model that you trust with --model"):
        bm.decompress(tmp_path / "x.bmz", tmp_path / "x")


def test_an_archive_is_verified_by_the_model_inside(tmp_path: Path) -> None:
    """A subclass of ours that predicts otherwise than its bundle, so that only the model in memory could decode."""

    class Shifted(bm.TableModel):
        def bundle(self, folder: Path, stem: str = "model") -> list[str]:
            return bm.TableModel(other).bundle(folder, stem)

    table, other = (bm.Distribution({byte: 1 + byte % step for byte in range(256)}, normalise=True) for step in (5, 3))
    with pytest.raises(BitmeterError):
        bm.compress(Shifted(table), TEXT, tmp_path / "x.bmz", embed=True)
    assert not (tmp_path / "x.bmz").exists()
