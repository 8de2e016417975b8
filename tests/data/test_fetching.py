"""Downloads: resumed, checked, bounded, from a server on loopback."""

from __future__ import annotations

from pathlib import Path

import pytest

from bitmeter._util.progress import Step
from bitmeter.data.fetching import download
from bitmeter.errors import DamagedSourceError, SourceError
from tests.data.made_sets import serving, sha256

DATA = bytes(range(256)) * 4000


def test_a_file_arrives_whole(tmp_path: Path) -> None:
    steps: list[Step] = []
    with serving(DATA) as served:
        download(f"{served.address}/x.zip", tmp_path / "x.zip", sha256(DATA), len(DATA), steps.append)
    assert (tmp_path / "x.zip").read_bytes() == DATA
    assert [path.name for path in tmp_path.iterdir()] == ["x.zip"]
    assert (steps[-1].done, steps[-1].total) == (len(DATA), len(DATA))


def test_a_connection_that_breaks_is_resumed(tmp_path: Path) -> None:
    with serving(DATA) as served:
        served.cut = len(DATA) // 2 + 1
        download(f"{served.address}/x", tmp_path / "x", sha256(DATA), len(DATA))
        assert served.asked == [None, f"bytes={len(DATA) // 2 + 1}-"]
    assert (tmp_path / "x").read_bytes() == DATA


def test_a_later_call_goes_on(tmp_path: Path) -> None:
    with serving(DATA) as served:
        served.cut = 1000
        with pytest.raises(SourceError, match="3,000 bytes are kept"):
            download(f"{served.address}/x", tmp_path / "x", sha256(DATA), len(DATA))
        assert not (tmp_path / "x").exists()
        served.cut, served.asked = None, []
        download(f"{served.address}/x", tmp_path / "x", sha256(DATA), len(DATA))
        assert served.asked == ["bytes=3000-"]
    assert (tmp_path / "x").read_bytes() == DATA


def test_a_server_without_ranges_begins_again(tmp_path: Path) -> None:
    (tmp_path / "x.part").write_bytes(DATA[:100])
    with serving(DATA) as served:
        served.ranges = False
        download(f"{served.address}/x", tmp_path / "x", sha256(DATA), len(DATA))
    assert (tmp_path / "x").read_bytes() == DATA


def test_a_part_that_is_whole_or_too_long(tmp_path: Path) -> None:
    with serving(DATA) as served:
        (tmp_path / "x.part").write_bytes(DATA)
        download(f"{served.address}/x", tmp_path / "x", sha256(DATA), len(DATA))
        assert (tmp_path / "x").read_bytes() == DATA
        (tmp_path / "y.part").write_bytes(DATA + b"more")
        download(f"{served.address}/y", tmp_path / "y", sha256(DATA), len(DATA))
    assert (tmp_path / "y").read_bytes() == DATA


def test_another_file_is_not_kept(tmp_path: Path) -> None:
    with serving(DATA[:-1] + b"!") as served, pytest.raises(DamagedSourceError, match="Nothing was stored"):
        download(f"{served.address}/x", tmp_path / "x", sha256(DATA), len(DATA))
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_too_long_is_not_fetched(tmp_path: Path) -> None:
    with serving(DATA) as served, pytest.raises(DamagedSourceError, match="more than the 10"):
        download(f"{served.address}/x", tmp_path / "x", sha256(DATA), 10)


@pytest.mark.parametrize(("status", "tries"), [(404, 1), (403, 1), (500, 3), (429, 3)])
def test_refusals_are_named(status: int, tries: int, tmp_path: Path) -> None:
    with serving(DATA) as served:
        served.status = status
        with pytest.raises(SourceError, match=f"answered {status}"):
            download(f"{served.address}/x", tmp_path / "x", sha256(DATA), len(DATA))
        assert len(served.asked) == tries


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://x/y", "x.zip", ""])
def test_only_http(address: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="http"):
        download(address, tmp_path / "x", "0" * 64, 1)


def test_no_server(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be fetched"):
        download("http://127.0.0.1:9/x", tmp_path / "x", "0" * 64, 1)
