"""--with: what the files of models refer to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.models.mixture.made import HELDOUT, ONE, TWO
from tests.pickles import TINY


@pytest.fixture
def mixture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A mixture whose second model is in another folder, made by the command line."""
    (tmp_path / "here").mkdir()
    ONE.save(tmp_path / "here" / "one.bmn")
    TWO.save(tmp_path / "two.bmn")
    (tmp_path / "t.txt").write_bytes(HELDOUT)
    models = [str(tmp_path / "here" / "one.bmn"), str(tmp_path / "two.bmn")]
    made = tmp_path / "here" / "m.bmx"
    code, out, _ = run(capsys, "mix", *models, "--heldout", str(tmp_path / "t.txt"), "-o", str(made))
    assert code == 0
    assert out.endswith(f"to use it, add: --with {models[1]}\n")
    return made


def test_every_verb_takes_what_a_mixture_refers_to(
    mixture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, given = str(tmp_path / "t.txt"), ["--with", str(tmp_path / "two.bmn")]
    archive, out = str(tmp_path / "t.bmz"), str(tmp_path / "back")
    lines = [
        ["score", str(mixture), text],
        ["score", "-m", str(mixture), "-m", "kt", text, "-q"],
        ["score", str(mixture), text, "--prove"],
        ["compare", str(mixture), "kt", "--on", text],
        ["trace", str(mixture), text],
        ["sample", str(mixture), "--seed", "1"],
        ["verify", str(mixture), text, "--histories", "2"],
        ["compress", str(mixture), text, "-o", archive],
        ["decompress", archive, "-o", out, "--model", str(mixture)],
    ]
    for line in lines:
        code, _, err = run(capsys, *line)
        assert (code, "--with MODEL" in err) == (1, True) or line[0] == "decompress", line
        code, _, err = run(capsys, *line, *given)
        assert (code, err) == (0, ""), (line, err)
        code, _, err = run(capsys, *line, *given, "--with", "kt", *(["--force"] if "-o" in line else []))
        assert code == 1, line
        assert "no model that is loaded refers to it" in err
    assert Path(out).read_bytes() == HELDOUT
    code, _, err = run(capsys, "decompress", archive, "-o", out, "--force", *given)
    assert (code, "add --model" in err) == (2, True)
    for words in (["compare", "a.json", "b.json"], ["trace", "t.parquet"]):
        code, _, err = run(capsys, *words, *given)
        assert code == 2, err
    code, _, err = run(capsys, "score", str(mixture), text, "--with", "absent:x")
    assert (code, "there is no model" in err) == (1, True)


def test_a_mixture_of_hf_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, made = tmp_path / "t.txt", tmp_path / "m.bmx"
    text.write_bytes(b"The harbour was quiet.")
    spec = f"hf:{TINY}"
    code, out, _ = run(capsys, "mix", spec, spec, "--heldout", str(text), "-o", str(made))
    assert (code, f"--with {spec}\n" in out) == (0, True)
    (first, second) = json.loads(made.read_bytes())["components"]
    assert (set(first), first) == ({"label", "fingerprint", "units"}, second)
    code, _, err = run(capsys, "score", str(made), str(text))
    assert (code, "A file may load models of its own folder only" in err) == (1, True)
    code, mixed, _ = run(capsys, "score", str(made), str(text), "-q", "--with", spec)
    _, alone, _ = run(capsys, "score", spec, str(text), "-q")
    assert float(mixed) == pytest.approx(float(alone), rel=1e-9)  # the mean of two equal numbers


def test_a_tokenizer_is_not_looked_for_outside_the_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "here").mkdir()
    text, model, units = tmp_path / "t.txt", tmp_path / "here" / "a.bmn", f"tokenizer:{TINY / 'tokenizer.json'}"
    text.write_bytes(HELDOUT)
    code, out, _ = run(capsys, "train", str(text), "--units", units, "--order", "2", "-o", str(model))
    assert (code, f"add: --with {units}" in " ".join(out.split())) == (0, True)
    code, _, err = run(capsys, "score", str(model), str(text))
    assert (code, "--with tokenizer:FILE" in err) == (1, True)
    code, expected, _ = run(capsys, "score", str(model), str(text), "-q", "--with", units)
    assert code == 0
    (model.parent / "tokenizer.json").write_bytes((TINY / "tokenizer.json").read_bytes())
    assert run(capsys, "score", str(model), str(text), "-q") == (0, expected, "")
