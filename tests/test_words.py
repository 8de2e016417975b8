"""The word list: all files are plain, and the check can fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.words import found, main


def test_all_files_are_plain(capsys: pytest.CaptureFixture[str]) -> None:
    code = main()
    assert code == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("what each foretells", "predict"),
        ("4.5 bits a byte", "per"),
        ("one an order", "per"),
        ("a row a prediction", "per"),
        ("it sends for both lines", "prefetch"),
        ("hold the same token for the likeliest", "likeliest"),
        ("what else it held likely", "likeliest"),
        ("none of it is overwritten unasked", "--force"),
        ("def test_damage_is_told()", "printed"),
        ("struct NgramStretch {", "block"),
    ],
)
def test_stumbling_words_are_found(line: str, plain: str, tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text(f"Plain.\n{line}.\n")
    ((number, _, said),) = found(file)
    assert number == 2
    assert plain in said


def test_plain_english_passes(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text("4.5 bits per byte of a word.\nOne row per prediction.\n\n```console\n$ x\n4.5 bits a byte\n```\n")
    assert list(found(file)) == []
