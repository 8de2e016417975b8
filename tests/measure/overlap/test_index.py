"""The index of a corpus: matches against a naive search, whatever the parts, and hostile files."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter import _core
from bitmeter._util.progress import Step
from bitmeter.errors import BitmeterError, EmptyError, FileFormatError, InputError, RangeError
from bitmeter.measure.overlap.index import OverlapIndex, _parts, as_index, is_index
from bitmeter.models.ngram.estimate.memory import Allowance

DOCUMENTS = st.lists(st.text("ab\0", max_size=14).map(str.encode) | st.binary(max_size=6), min_size=1, max_size=5)


def index_of(documents: list[bytes], part: int = 1 << 20, longest: int = 1 << 20) -> OverlapIndex:
    corpus = bm.Corpus.from_documents(documents)
    allowance = Allowance.of("64M", None)
    return OverlapIndex._build(corpus, None, None, None, allowance, False, lambda _: None, part, longest)


def longest_at(text: bytes, place: int, documents: list[bytes], own: int | None = None) -> int:
    """The longest match, by trying every place of every document."""
    best = 0
    for number, document in enumerate(documents):
        for start in range(len(document)):
            if (number, start) == (own, place):
                continue
            size = 0
            while text[place + size : place + size + 1] == document[start + size : start + size + 1] != b"":
                if text[place + size] == 255:
                    break
                size += 1
            best = max(best, size)
    return best


@given(DOCUMENTS, st.text("ab\0", max_size=20).map(str.encode) | st.binary(max_size=12), st.integers(1, 30))
def test_lengths_and_places_are_those_of_a_naive_search(documents: list[bytes], text: bytes, part: int) -> None:
    index = index_of(documents, part, longest=32)
    lengths = index.lengths(text)
    assert lengths.tolist() == [longest_at(text, place, documents) for place in range(len(text))]
    assert index.lengths(text, threads=3).tolist() == lengths.tolist()
    joined = bytes(index._core.text)
    some = np.flatnonzero(lengths)
    found = index._first(np.frombuffer(text, dtype=np.uint8), some, lengths[some].astype(np.int64), -1)
    expected = [joined.index(text[place : place + lengths[place]]) for place in some.tolist()]
    assert found.tolist() == expected


@given(DOCUMENTS, st.integers(1, 30))
def test_in_itself_a_byte_does_not_match_itself(documents: list[bytes], part: int) -> None:
    index = index_of(documents, part, longest=32)
    lengths = index._lengths(np.ascontiguousarray(index._core.text), 0, 1)
    place = 0
    for number, document in enumerate(documents):
        expected = [longest_at(document, start, documents, number) for start in range(len(document))]
        assert lengths[place : place + len(document)].tolist() == expected
        place += len(document) + 1


def test_long_repeats_are_found_in_full_and_no_further_than_the_limit() -> None:
    block = bytes(range(97, 123)) * 40
    index = index_of([block + b"X" + block, b"between", block], part=700)
    lengths = index.lengths(b"-" + block + b"!")
    assert lengths.tolist() == [0, *range(len(block), 0, -1), 0]
    short = index_of([block], part=100, longest=64)
    assert max(short.lengths(block).tolist()) == 64
    assert index_of([block], part=10_000, longest=64).lengths(block).tolist() == short.lengths(block).tolist()


def test_parts_are_whole_documents_or_overlap() -> None:
    ends = np.array([4, 9, 40])
    assert list(_parts(ends, 41, 10, 3)) == [(0, 10, 10), (10, 20, 23), (20, 30, 33), (30, 40, 41), (40, 41, 41)]
    assert list(_parts(ends, 41, 100, 3)) == [(0, 41, 41)]


def test_an_index_is_saved_opened_and_pickled(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_bytes(b"to be\nor not\n")
    (tmp_path / "two.txt").write_bytes(b"to be is to do\n")
    steps: list[Step] = []
    built = OverlapIndex.build(
        [str(tmp_path / "one.txt"), str(tmp_path / "two.txt")], tmp_path / "i.bmi", docs="line", progress=steps.append
    )
    assert {step.stage for step in steps} == {"reading", "sorting"}
    assert is_index(tmp_path / "i.bmi")
    assert not is_index(tmp_path / "one.txt")
    assert not is_index(3)
    for index in (built, OverlapIndex.open(tmp_path / "i.bmi"), pickle.loads(pickle.dumps(built))):
        assert (index.documents, index.bytes) == (3, 28)
        assert index.lengths("is to").tolist() == [5, 4, 3, 2, 1]
        assert [index.place(place) for place in (0, 7, 15)] == [
            (f"{tmp_path}/one.txt:1", 0), (f"{tmp_path}/one.txt:2", 0), (f"{tmp_path}/two.txt:1", 0),
        ]  # fmt: skip
    assert "3 documents" in repr(built)
    with pytest.raises(FileFormatError, match="--force"):
        OverlapIndex.build(b"x", tmp_path / "i.bmi")
    with pytest.raises(InputError, match="cannot be pickled"):
        pickle.dumps(OverlapIndex.build(b"x"))


def test_documents_of_one_file_or_joined_have_its_name(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_bytes(b"to be")
    assert OverlapIndex.build(tmp_path / "one.txt").place(0) == (f"{tmp_path}/one.txt", 0)
    joined = OverlapIndex.build(tmp_path / "one.txt", docs="joined")
    assert joined.place(3)[1] == 3


def test_what_cannot_be_indexed(tmp_path: Path) -> None:
    with pytest.raises(EmptyError, match="no documents"):
        OverlapIndex.build(bm.Corpus.from_documents([]))
    with pytest.raises(RangeError, match="64 MB"):
        OverlapIndex.build(b"x", memory="1M")
    index = OverlapIndex.build(b"x")
    with pytest.raises(InputError, match="documents already"):
        as_index(index, "line", None, None, None, None)
    with pytest.raises(InputError, match="string or bytes"):
        index.lengths(7)
    assert index.lengths(b"").tolist() == []
    with pytest.raises(RangeError):
        index.place(2)
    assert not list(tmp_path.iterdir())


def test_an_interrupt_leaves_no_file(tmp_path: Path) -> None:
    def stop(step: Step) -> None:
        if step.stage == "sorting":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        OverlapIndex.build(b"to be or not", tmp_path / "i.bmi", progress=stop)
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("index") / "i.bmi"
    OverlapIndex.build(bm.Corpus.from_documents(["to be or not", "to be"]), path)
    return path.read_bytes()


def test_a_file_with_any_byte_changed_or_cut_is_refused(sound: bytes, tmp_path: Path) -> None:
    path = tmp_path / "i.bmi"
    # The rest of the header, behind its fields, is not used.
    for place in [*range(88), *range(_core.OVERLAP_HEADER, len(sound), 7)]:
        path.write_bytes(sound[:place] + bytes([sound[place] ^ 0x41]) + sound[place + 1 :])
        with pytest.raises(FileFormatError, match="is not an index of a corpus, or is damaged"):
            OverlapIndex.open(path)
    for size in (0, 1, 60, 127, 128, 200, len(sound) - 1):
        path.write_bytes(sound[:size])
        with pytest.raises(FileFormatError):
            OverlapIndex.open(path)
    path.write_bytes(sound + b"\0")
    with pytest.raises(FileFormatError):
        OverlapIndex.open(path)
    with pytest.raises(FileFormatError, match="does not exist"):
        OverlapIndex.open(tmp_path / "missing")


def sealed(path: Path, body: bytes, *sizes: int) -> None:
    path.write_bytes(bytes(_core.OVERLAP_HEADER) + body)
    header = _core.overlap_seal(str(path), *sizes)
    path.write_bytes(header + body)


@given(st.data())
def test_a_forged_file_gives_figures_or_a_typed_error(sound: bytes, data: st.DataObject) -> None:
    """Checksums that fit, and any content: no crash, and no other error."""
    import tempfile

    body = bytearray(sound[_core.OVERLAP_HEADER :])
    for _ in range(data.draw(st.integers(0, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    sizes = [19, 2, 1, 1 << 20, len(_core.OverlapIndex.open(_saved(sound)).metadata)]
    if data.draw(st.booleans()):
        sizes[data.draw(st.integers(0, 4))] = data.draw(
            st.sampled_from([0, 1, 2, 3, 18, 20, 1 << 31, 1 << 62, 2**64 - 1])
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "i.bmi"
        sealed(path, bytes(body), *sizes)
        try:
            index = OverlapIndex.open(path)
            lengths = index.lengths(b"or not to be")
            some = np.flatnonzero(lengths)
            index._first(np.frombuffer(b"or not to be", dtype=np.uint8), some, lengths[some].astype(np.int64), -1)
            bm.overlap(index, length=2)
        except BitmeterError:
            pass


_KEPT: dict[bytes, str] = {}


def _saved(data: bytes) -> str:
    import tempfile

    if data not in _KEPT:
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(data)
        _KEPT[data] = file.name
    return _KEPT[data]


@pytest.mark.parametrize(
    "metadata",
    [b"[]", b"{", b'{"name": 1, "sources": ["a"], "firsts": [0], "numbered": true}', b"\xff",
     b'{"name": "a", "sources": [], "firsts": [], "numbered": true}',
     b'{"name": "a", "sources": ["a"], "firsts": [99999999999999999999999], "numbered": true}',
     b'{"name": "a", "sources": ["a", "b"], "firsts": [0, 9], "numbered": true}'],
)  # fmt: skip
def test_names_that_are_not_sound_are_refused(metadata: bytes, tmp_path: Path) -> None:
    def padded(data: bytes) -> bytes:
        return data + bytes(-len(data) % 64)

    table = np.array([0, 2, 2], dtype="<u8").tobytes()
    suffixes = np.array([0, 1], dtype="<u4").tobytes()
    body = padded(b"a\xff") + padded(np.array([1], dtype="<u8").tobytes()) + padded(table) + padded(metadata)
    sealed(tmp_path / "i.bmi", body + padded(suffixes) + padded(suffixes[:4]), 2, 1, 1, 16, len(metadata))
    with pytest.raises(FileFormatError, match="names in the index are not sound"):
        OverlapIndex.open(tmp_path / "i.bmi")


def test_a_full_disk_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("bitmeter.measure.overlap.index._write", full)
    with pytest.raises(InputError, match="No space left"):
        OverlapIndex.build(b"to be")
