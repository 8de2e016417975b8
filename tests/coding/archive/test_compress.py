"""Any model as a compressor: every text comes back."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter._util.progress import Step
from bitmeter.coding.archive import format as archives
from bitmeter.coding.archive.header import pack, read_header
from bitmeter.errors import FileFormatError, ModelError
from tests.coding.archive.forging import forged, parts
from tests.coding.models import TEXT, Forgetful, Plain, TooMuch, byte_mixture, letters, word_mixture, words

SCRIPTS = "Alle Menschen. Все люди. 人人生而自由。 सभी मनुष्य। כל בני האדם. جميع الناس\n"
NGRAM = words()
TEXTS = {
    "empty": b"",
    "one": b"x",
    "newline": b"\n",
    "blank": b" \t \n\n  ",
    "every byte": bytes(range(256)),
    "zeros": bytes(200_000),
    "random": random.Random(1).randbytes(20_000),
    "invalid": b"na\xc3\xafve \xff\xfe\xc3( \x80\n",
    "scripts": SCRIPTS.encode() * 20,
    "text": TEXT * 30,
    "no newline": TEXT + b"the end",
    "white end": TEXT + b"the end \t ",
    "carriage": b"one\r\ntwo\r\n\r\nthree \x0b\x0c\r\n",
    "words of the model": b"<s> </s> <unk> to be\n",
}
MODELS: dict[str, Any] = {
    "kt": bm.KrichevskyTrofimov(), "uniform": bm.Uniform(), "ngram": NGRAM, "plain": Plain(),
    "universal": bm.Universal("small"), "words mixed": word_mixture(), "bytes mixed": byte_mixture(),
}  # fmt: skip
#: How much of a text is enough for those that are asked unit by unit.
ENOUGH = {"plain": 8_000, "ngram": 8_000, "words mixed": 3_000, "bytes mixed": 500}


def there_and_back(model: Any, text: bytes, folder: Path) -> bm.Archive:
    made = bm.compress(model, text, folder / "x.bmz", force=True)
    bm.decompress(folder / "x.bmz", folder / "x", model=model, force=True)
    assert (folder / "x").read_bytes() == text
    assert made.size == (folder / "x.bmz").stat().st_size
    return made


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", TEXTS)
def test_every_text_comes_back(model: str, name: str, tmp_path: Path) -> None:
    text = TEXTS[name][: ENOUGH.get(model)]
    made = there_and_back(MODELS[model], text, tmp_path)
    assert made.original == len(text)


@pytest.mark.parametrize("model", ["kt", "ngram", "words mixed"])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.binary(max_size=200))
def test_arbitrary_bytes_come_back(model: str, text: bytes, tmp_path: Path) -> None:
    there_and_back(MODELS[model], text, tmp_path)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(st.sampled_from([b"to", b"be", b" ", b"  ", b"\n", b"\t", b"xyzzy", b"\xff", b"mind"])))
def test_words_and_white_space_in_any_order_come_back(parts: list[bytes], tmp_path: Path) -> None:
    there_and_back(NGRAM, b"".join(parts), tmp_path)
    there_and_back(MODELS["words mixed"], b"".join(parts), tmp_path)


@pytest.mark.parametrize("docs", ["line", "file", "blank"])
def test_a_mixture_of_one_model_costs_what_the_model_does(docs: str, tmp_path: Path) -> None:
    """By two coders: that of the core for an n-gram model, and the one that goes by whole predictions."""
    model = bm.NGram(3).fit(TEXT * 2, docs=docs)
    for name, text in TEXTS.items():
        alone, mixed = (there_and_back(one, text[:1500], tmp_path) for one in (model, bm.MixtureModel([model])))
        assert mixed.bits == pytest.approx(alone.bits, rel=1e-6, abs=1e-3), name


def test_a_mixture_without_spelling_says_so(tmp_path: Path) -> None:
    NGRAM.save(tmp_path / "m.arpa")
    with pytest.raises(ModelError, match="--spelling TEXT"):
        bm.compress(bm.MixtureModel([tmp_path / "m.arpa"]), TEXT, tmp_path / "x.bmz")
    sparse = bm.NGram(2, "maximum-likelihood").fit(TEXT)
    with pytest.raises(ModelError, match="gives 'xyzzy' no probability"):
        bm.compress(bm.MixtureModel([sparse]), b"xyzzy\n", tmp_path / "x.bmz")
    assert [path.name for path in tmp_path.iterdir()] == ["m.arpa"]


def test_blocks_do_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = TEXT * 20 + b"x" * 500 + " ünknöwn \n".encode() * 50
    models = {name: model for name, model in MODELS.items() if name != "bytes mixed"}
    whole = {name: there_and_back(model, text, tmp_path).payload for name, model in models.items()}
    monkeypatch.setattr(archives, "BLOCK", 100)
    for name, model in models.items():
        cut = there_and_back(model, text, tmp_path)
        # At most two bytes more per block.
        assert whole[name] <= cut.payload <= whole[name] + 2 * (len(text) // 100 + 1)


def test_letters_of_a_table_come_back_and_others_are_refused(tmp_path: Path) -> None:
    text = "to bé or not\nß日".encode()
    made = there_and_back(bm.TableModel(letters()), text, tmp_path)
    assert made.payload * 8 == pytest.approx(bm.score(letters(), text).bits, abs=16)
    with pytest.raises(ModelError, match="gives '!' at byte 2 no probability"):
        bm.compress(letters(), b"to!", tmp_path / "no.bmz")
    assert not (tmp_path / "no.bmz").exists()


def test_the_model_may_travel_along(tmp_path: Path) -> None:
    NGRAM.save(tmp_path / "model.bmn")
    plain = bm.compress(tmp_path / "model.bmn", TEXT, tmp_path / "plain.bmz")
    made = bm.compress(tmp_path / "model.bmn", TEXT, tmp_path / "x.bmz", embed=True)
    assert made.embedded > 1000
    assert (tmp_path / "x.bmz").stat().st_size == made.size > plain.size + made.embedded
    assert f"{made.embedded:,} of the model" in str(made)
    assert bm.decompress(tmp_path / "plain.bmz", tmp_path / "a").bytes == len(TEXT)  # the model's file is beside it
    (tmp_path / "model.bmn").unlink()
    bm.decompress(tmp_path / "x.bmz", tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == TEXT
    with pytest.raises(ModelError, match="not here"):
        bm.decompress(tmp_path / "plain.bmz", tmp_path / "c")
    with pytest.raises(ModelError, match="no file that could travel"):
        bm.compress("kt", TEXT, tmp_path / "k.bmz", embed=True)


def test_another_model_is_refused(tmp_path: Path) -> None:
    bm.compress(NGRAM, TEXT, tmp_path / "x.bmz")
    for other in ("kt", words(order=2)):
        with pytest.raises(ModelError, match="the very same one"):
            bm.decompress(tmp_path / "x.bmz", tmp_path / "x", model=other)
    assert not (tmp_path / "x").exists()


def test_nothing_is_overwritten_without_force(tmp_path: Path) -> None:
    (tmp_path / "x.bmz").write_bytes(b"mine")
    with pytest.raises(FileFormatError, match="--force"):
        bm.compress("kt", b"abc", tmp_path / "x.bmz")
    assert (tmp_path / "x.bmz").read_bytes() == b"mine"


def test_cheats_and_forgetful_models_leave_no_archive(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="sum to"):
        bm.compress(TooMuch(), TEXT, tmp_path / "x.bmz")
    with pytest.raises(ModelError, match="not the same the second time"):
        bm.compress(Forgetful(), TEXT * 10, tmp_path / "x.bmz")
    for model, message in (("zstd", "files of its own"), ("uniform:10000", "cannot be put together")):
        with pytest.raises(ModelError, match=message):
            bm.compress(model, TEXT, tmp_path / "x.bmz")
    assert list(tmp_path.iterdir()) == []


def test_what_is_compressed_does_not_compress_again(tmp_path: Path) -> None:
    text = TEXT * 300
    once = bm.compress(NGRAM, text, tmp_path / "1.bmz")
    assert once.size < len(text) / 2
    coded = (tmp_path / "1.bmz").read_bytes()[-once.payload :]
    again = bm.compress("kt", coded, tmp_path / "2.bmz")
    assert again.payload > 0.999 * len(coded)
    assert again.size > len(coded)


def test_memory_does_not_grow_with_the_text(tmp_path: Path) -> None:
    import tracemalloc

    with (tmp_path / "long").open("wb") as file:
        for _ in range(12):
            file.write(bytes(1 << 20))
    tracemalloc.start()
    try:
        bm.compress("kt", tmp_path / "long", tmp_path / "x.bmz")
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_progress_is_reported(tmp_path: Path) -> None:
    seen: list[Step] = []
    bm.compress(Plain(), TEXT * 20, tmp_path / "x.bmz", progress=seen.append)
    assert (seen[-1].done, seen[-1].total) == (len(TEXT) * 20, len(TEXT) * 20)
    assert len(seen) > 10
    for stage in ("coding", "decoding"):
        assert np.all(np.diff([step.done for step in seen if step.stage == stage]) >= 0)


class Elsewhere(Plain):
    """The same model on another machine, where the last bit of a prediction is another."""

    shift = 1e-6

    def predict(self, history: Any) -> Any:
        row = super().predict(history)
        row = row + np.where(np.arange(len(row)) % 2 == 0, self.shift, -self.shift)
        return row - np.log(np.exp(row).sum())


def test_an_archive_that_depends_on_the_machine_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "machine" not in str(bm.compress("kt", TEXT, tmp_path / "k.bmz"))
    made = bm.compress(Plain(), TEXT * 10, tmp_path / "x.bmz")
    assert "decodes only on machines like this one: architecture " in str(made)
    assert f"numpy {np.__version__}" in str(made)
    header = bm.decompress(tmp_path / "x.bmz", tmp_path / "x", model=Plain())
    assert dict(header.machine) == dict(made.machine)
    with pytest.raises(FileFormatError, match="agrees with the one that wrote it in all that is noted"):
        bm.decompress(tmp_path / "x.bmz", tmp_path / "y", model=Elsewhere())
    monkeypatch.setenv("NPY_DISABLE_CPU_FEATURES", "AVX2")
    with pytest.raises(
        FileFormatError, match="not the machine that wrote it: NPY_DISABLE_CPU_FEATURES was not set"
    ) as caught:
        bm.decompress(tmp_path / "x.bmz", tmp_path / "y", model=Elsewhere())
    assert "damaged" not in str(caught.value)
    assert bm.decompress(tmp_path / "x.bmz", tmp_path / "y", model=Plain()).bytes == len(TEXT) * 10, "it is still tried"


def test_an_archive_of_the_first_format_is_read(tmp_path: Path) -> None:
    """Written before the machine was noted, by any model."""
    bm.compress(Plain(), TEXT, tmp_path / "x.bmz")
    fields, embedded, frames = parts((tmp_path / "x.bmz").read_bytes())
    old = forged(fields | {"machine": {}}, embedded, frames)
    assert old[8] == 1
    bm.decompress(old, tmp_path / "x", model=Plain())
    assert (tmp_path / "x").read_bytes() == TEXT
    with pytest.raises(FileFormatError, match="did not yet note the machine"):
        bm.decompress(old, tmp_path / "y", model=Elsewhere())


def test_exact_models_write_what_they_always_wrote(tmp_path: Path) -> None:
    """The first format, to the byte: by the hash of an archive that was written before there was another."""
    bm.compress("kt", b"to be or not to be", tmp_path / "x.bmz", long_header=True)
    fields, _, frames = parts((tmp_path / "x.bmz").read_bytes())
    assert (tmp_path / "x.bmz").read_bytes()[8] == 1
    assert frames == [(18, bytes.fromhex("746e435bd76d355771d4a66ea1c9f087"))]
    assert list(json.loads((tmp_path / "x.bmz").read_bytes()[16:].split(b"}")[0] + b"}")) == [
        "model", "fingerprint", "units", "precision", "bytes", "sha256", "embedded", "embedded_sha256", "version",
    ]  # fmt: skip
    assert fields["units"] == "bytes"


@pytest.mark.parametrize(
    "named",
    ["universal:../u.bmu", "universal:{outside}", "universal:u.bmu", "neural:..", "neural:.", "neural:",
     "ngram:../n.bmn", "ngram:{outside}", "ngram:link.bmn", "mixture:../m.bmx", "hf:tiny,trust=yes", "openai:http://127.0.0.1:9/v1#m",
     "zlib", "tokenizer:x"],
)  # fmt: skip
def test_an_archive_loads_no_model_outside_its_folder(named: str, tmp_path: Path) -> None:
    """Its header names the model, and a stranger writes the header."""
    from dataclasses import replace
    from io import BytesIO

    here = tmp_path / "here"
    here.mkdir()
    bm.NGram(order=2).fit(TEXT).save(tmp_path / "n.bmn")
    bm.load("universal:small").with_prime(TEXT).save(tmp_path / "u.bmu")
    bm.load("universal:small").with_prime(TEXT).save(here / "u.bmu")
    (here / "link.bmn").symlink_to(tmp_path / "n.bmn")
    (tmp_path / "model.json").write_text("{}")
    (here / "model.json").write_text("{}")
    bm.compress("kt", TEXT, here / "x.bmz", long_header=True)
    whole = (here / "x.bmz").read_bytes()
    header = read_header(BytesIO(whole), "x")
    outside = tmp_path / ("u.bmu" if named.startswith("universal") else "n.bmn")
    forged = pack(replace(header, model=named.format(outside=outside)))
    (here / "x.bmz").write_bytes(forged + whole[header.size :])
    with pytest.raises(ModelError, match=r"which is not here; name (its file|the model that you trust) with --model"):
        bm.decompress(here / "x.bmz", here / "x")
    assert not (here / "x").exists()
