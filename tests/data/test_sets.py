"""get_set(): from an address, from a folder, by hash alone."""

from __future__ import annotations

from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.data import catalogue
from bitmeter.data.catalogue import KnownSet
from bitmeter.errors import BitmeterError, DamagedSourceError, MissingSourceError, SourceError
from tests.data.made_sets import TEST, TRAIN, archive, known, serving, sha256


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "bitmeter" / "sets" / "made"


def use(monkeypatch: pytest.MonkeyPatch, made: KnownSet) -> None:
    monkeypatch.setitem(catalogue.SETS, made.name, made)
    monkeypatch.setattr(catalogue, "_LISTED", (*catalogue._LISTED, made))


def test_from_an_address(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = archive()
    use(monkeypatch, known(data))
    with serving(data) as served:
        found = bm.get_set("made", source=served.address)
        assert served.asked == [None]
        again = bm.get_set("made", source=served.address)
        assert served.asked == [None]
        assert (found.files, again.source) == (again.files, "")
    assert sorted(path.name for path in home.iterdir()) == ["set.json", "test.txt", "train.txt"]
    assert found.files["made:test"].read_bytes() == TEST
    score = bm.score("kt", "made:test", docs="line")
    assert (score.text, score.bytes, score.signature.test_set) == ("made:test", len(TEST), "made:test")
    assert score.to_dict()["test_set"] == "made:test"
    assert bm.score("kt", "made:train").bytes == len(TRAIN)
    assert bm.Score.from_json(score.to_json()) == score


def test_the_addresses_are_tried_in_turn(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = archive()
    with serving(data) as served:
        use(monkeypatch, known(data, addresses=("http://127.0.0.1:9/made.zip", f"{served.address}/made.zip")))
        assert bm.get_set("made").source == f"{served.address}/made.zip"
    use(monkeypatch, known(data, addresses=("http://127.0.0.1:9/a.zip", "http://127.0.0.1:9/b.zip")))
    with pytest.raises(SourceError, match="--from FOLDER"):
        bm.get_set("made", force=True)


@pytest.mark.parametrize("file", ["made.zip", "renamed.bin", "below/made.zip"])
def test_an_archive_in_a_folder_is_known_by_its_hash(
    file: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, known())
    path = tmp_path / "own" / file
    path.parent.mkdir(parents=True)
    path.write_bytes(archive())
    assert set(bm.get_set("made", source=tmp_path / "own").files) == {"made:test", "made:train"}


def test_a_text_in_a_folder_is_known_by_its_hash(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, known())
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "whatever.txt").write_bytes(TEST)
    (tmp_path / "own" / "other.txt").write_bytes(b"x" * len(TEST))
    assert list(bm.get_set("made", source=str(tmp_path / "own")).files) == ["made:test"]
    # A text that was never stored under the name is known by its hash, too.
    assert bm.score("kt", tmp_path / "own" / "whatever.txt").signature.test_set == "made:test"
    (tmp_path / "own" / "whatever.txt").write_bytes(TEST + b"\n")
    with pytest.raises(MissingSourceError, match="another text"):
        bm.get_set("made", source=tmp_path / "own", force=True)


def test_an_altered_file_is_refused(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, known())
    (tmp_path / "made.zip").write_bytes(archive())
    found = bm.get_set("made", source=tmp_path / "made.zip")
    for name, path in found.files.items():
        path.write_bytes(path.read_bytes()[:-1] + b"?")
        with pytest.raises(DamagedSourceError, match="sets get made --force"):
            bm.score("kt", name)
    assert bm.get_set("made", source=tmp_path / "made.zip").source  # it is stored again without being forced
    assert bm.score("kt", "made:train").bytes == len(TRAIN)


def test_an_archive_with_other_texts_stores_nothing(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = archive(test=b"y" * len(TEST))
    use(monkeypatch, known(data))
    (tmp_path / "made.zip").write_bytes(data)
    with pytest.raises(DamagedSourceError, match="has the hash"):
        bm.get_set("made", source=tmp_path / "made.zip")
    assert not home.exists()
    longer = archive(test=TEST * 2)
    use(monkeypatch, known(longer))
    (tmp_path / "made.zip").write_bytes(longer)
    with pytest.raises(DamagedSourceError, match="more than it should"):
        bm.get_set("made", source=tmp_path / "made.zip")
    no_zip = b"not a zip"
    use(monkeypatch, known(no_zip))
    (tmp_path / "made.zip").write_bytes(no_zip)
    with pytest.raises(DamagedSourceError, match="cannot be unpacked"):
        bm.get_set("made", source=tmp_path / "made.zip")


def test_a_set_of_one_plain_file(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = b'{"text": "one"}\n{"text": "two"}\n'
    part = catalogue.Part("made.jsonl", sha256(rows), len(rows), ".jsonl")
    use(monkeypatch, known(rows, parts={"": part}, archive="made.jsonl"))
    with serving(rows) as served:
        assert list(bm.get_set("made", source=served.address).files) == ["made"]
    score = bm.score("kt", "made")
    assert (score.documents, score.bytes) == (2, 6)


@pytest.mark.parametrize(
    ("name", "pattern"), [("nothing", "there is no test set"), (3, "there is no test set"), ("paloma", "terms")]
)
def test_what_cannot_be_had(name: str, pattern: str, home: Path) -> None:
    with pytest.raises(BitmeterError, match=pattern):
        bm.get_set(name)


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("wikitext2:test", "sets get wikitext2"),
        ("wikitext2", "type one of wikitext2:test"),
        ("wikitext2:dev", "type one of wikitext2:test"),
        ("paloma:c4", "accept its terms"),
    ],
)
def test_a_text_that_is_not_here_is_not_fetched(name: str, pattern: str, home: Path) -> None:
    with pytest.raises(BitmeterError, match=pattern):
        bm.score("kt", name)


def test_a_missing_folder(home: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingSourceError, match="there is no folder"):
        bm.get_set("wikitext2", source=tmp_path / "none")
    assert bm.list_sets() == catalogue.SETS


def test_what_fails_leaves_no_empty_folders(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, known(archive(), addresses=("http://127.0.0.1:9/made.zip",)))
    for source in (None, tmp_path / "nowhere"):
        with pytest.raises(SourceError):
            bm.get_set("made", source=source)
        assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("name", ["wikitext2:../x", "lambada:", "enwik8:test"])
def test_a_part_that_a_set_does_not_have_is_named_before_anything_is_fetched(name: str) -> None:
    with pytest.raises(bm.errors.ChoiceError, match="has no part"):
        bm.get_set(name, source="http://127.0.0.1:9/")
