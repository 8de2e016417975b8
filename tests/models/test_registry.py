"""Names of models, and the schemes that other packages add."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.models.protocols import Compressor, Model, Predictor
from bitmeter.models.registry import own_schemes, schemes, survey_schemes
from bitmeter.models.scheme import Scheme

MAIN = [sys.executable, "-c", "from bitmeter.cli import main; main()"]

TOY = '''
"""A model of another package: every byte costs as many bits as it is asked to."""
import math
import numpy as np
import bitmeter as bm
from bitmeter.text.units.plain import Bytes

class Toy:
    units = Bytes()
    def __init__(self, bits):
        self.name, self.fingerprint, self._nats = f"toy:{bits}", f"toy-{bits}", float(bits) * math.log(2.0)
    def logprobs(self, ids, bounds):
        return np.full(len(ids), -self._nats)

SCHEME = bm.Scheme("toy", "toy:BITS", "a plug-in: so many bits per byte", Toy, requires="numpy")
WISHFUL = bm.Scheme("wishful", "wishful", "needs what is not there", Toy, requires="surely_absent")
'''


def bitmeter(*words: str, path: Path) -> subprocess.CompletedProcess[str]:
    found = [str(path), *filter(None, [os.environ.get("PYTHONPATH")])]
    # Wide enough that no cell of a table is folded.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(found), "COLUMNS": "300"}
    return subprocess.run([*MAIN, *words], capture_output=True, text=True, env=environment, check=False)


def wheel(folder: Path, name: str, code: str, entries: str) -> Path:
    """A package of one module, as any build tool would make it."""
    info = f"{name}-1.0.dist-info"
    file = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{name}.py", code)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/entry_points.txt", f"[bitmeter.models]\n{entries}\n")
        archive.writestr(f"{info}/RECORD", "")
    return file


def plugged(folder: Path, name: str, code: str, entries: str) -> None:
    """The same as if it were installed in `folder`."""
    with zipfile.ZipFile(wheel(folder, name, code, entries)) as archive:
        archive.extractall(folder)


# ---- a plug-in -------------------------------------------------------------------------------------------------------


def test_an_installed_package_adds_a_scheme(tmp_path: Path) -> None:
    file = wheel(tmp_path, "bitmeter_toy", TOY, "toy = bitmeter_toy:SCHEME\nwishful = bitmeter_toy:WISHFUL")
    target = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(target)]
    subprocess.run([*pip, "--disable-pip-version-check", str(file)], check=True)
    text = tmp_path / "text.txt"
    text.write_bytes(b"to be or not to be")
    listed = bitmeter("models", path=target)
    assert listed.returncode == 0, listed.stderr
    (row,) = (line for line in listed.stdout.splitlines() if line.startswith("toy:BITS"))
    assert " ".join(row.split()) == "toy:BITS a plug-in: so many bits per byte ready"
    (row,) = (line for line in listed.stdout.splitlines() if line.startswith("wishful"))
    assert row.endswith("pip install surely_absent")
    assert bitmeter("score", "toy:3", str(text), "-q", path=target).stdout == "3.0\n"
    shown = bitmeter("score", "-m", "toy:3", "-m", "uniform", str(text), path=target)
    assert shown.returncode == 0, shown.stderr
    assert "toy:3" in shown.stdout
    # Without it the scheme is not there, and the error says which are.
    absent = bitmeter("score", "toy:3", str(text), path=tmp_path)
    assert absent.returncode == 1
    assert "there is no model 'toy:3': 'toy' is no scheme; known are" in absent.stderr


def test_a_plug_in_is_a_model_like_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugged(tmp_path, "bitmeter_toy", TOY, "toy = bitmeter_toy:SCHEME")
    monkeypatch.syspath_prepend(str(tmp_path))
    model = bm.load("toy:2.5")
    assert isinstance(model, Model)
    assert not isinstance(model, Predictor | Compressor)
    assert schemes()["toy"].usage == "toy:BITS"
    found = bm.compare("uniform", "toy:2.5", on=b"to be or not to be")
    assert found.rows[1].difference == pytest.approx(-5.5)
    with pytest.raises(bm.errors.ModelError, match="the plug-in toy cannot load 'toy:x': ValueError"):
        bm.load("toy:x")


BROKEN = {
    "no_scheme": ("SCHEME = 3", "must name a bitmeter.Scheme; it is 3"),
    "raises": ("1 / 0", "cannot be imported: ZeroDivisionError: division by zero"),
    "exits": ("raise SystemExit('bye')", "cannot be imported: SystemExit: bye"),
    "needs_more": ("import surely_absent", "cannot be imported: ModuleNotFoundError: No module named 'surely_absent'"),
    "no_name": ("", "has no attribute 'SCHEME'"),
    "misnamed": (TOY, "brings the scheme 'toy'; the entry point and the scheme must have one name"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_plug_in_fails_only_when_it_is_asked_for(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, reason = BROKEN[kind]
    plugged(tmp_path, f"bitmeter_{kind}", code, f"{kind} = bitmeter_{kind}:SCHEME")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert bm.score("kt", b"to be").bytes == 5
    found, broken = survey_schemes()
    assert set(own_schemes()) <= set(found)
    (plugin,) = (plugin for plugin in broken if plugin.name == kind)
    assert reason in plugin.reason
    with pytest.raises(bm.errors.ModelError) as caught:
        bm.load(f"{kind}:x")
    assert reason in str(caught.value)
    assert f"the plug-in {kind} (bitmeter_{kind}:SCHEME of bitmeter_{kind})" in str(caught.value)


def test_the_command_line_survives_broken_plug_ins(tmp_path: Path) -> None:
    plugged(tmp_path, "bitmeter_raises", "1 / 0", "raises = bitmeter_raises:SCHEME")
    plugged(tmp_path, "bitmeter_toy", TOY, "toy = bitmeter_toy:SCHEME")
    text = tmp_path / "text.txt"
    text.write_bytes(b"to be")
    assert bitmeter("score", "uniform", str(text), "-q", path=tmp_path).stdout == "8.0\n"
    assert bitmeter("score", "toy:1", str(text), "-q", path=tmp_path).stdout == "1.0\n"
    listed = bitmeter("models", path=tmp_path)
    assert listed.returncode == 0
    (row,) = (line for line in listed.stdout.splitlines() if line.startswith("raises"))
    assert row.endswith("cannot be imported: ZeroDivisionError: division by zero")
    printed = json.loads(bitmeter("models", "--json", path=tmp_path).stdout)
    states = {row["usage"]: row["state"] for row in printed["rows"]}
    assert states["kt"] == states["toy:BITS"] == "ready"
    assert states["raises"].startswith("unusable: the plug-in raises")
    asked = bitmeter("score", "raises", str(text), path=tmp_path)
    assert asked.returncode == 1
    assert "ZeroDivisionError" in asked.stderr
    assert "Traceback" not in asked.stderr


def test_a_plug_in_cannot_take_a_name_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugged(tmp_path, "bitmeter_toy", TOY, "kt = bitmeter_toy:SCHEME")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert isinstance(bm.load("kt"), bm.KrichevskyTrofimov)
    (plugin,) = survey_schemes()[1]
    assert "has the name of a scheme of bitmeter, which goes first" in plugin.reason


def test_two_plug_ins_of_one_name_are_refused_until_one_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("first_toy", "second_toy"):
        plugged(tmp_path, name, TOY, f"toy = {name}:SCHEME")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(bm.errors.ModelError, match=r"two plug-ins add the scheme 'toy'.*uninstall one") as caught:
        bm.load("toy:1")
    assert "first_toy:SCHEME of first_toy" in str(caught.value)
    assert "toy" not in schemes()


def test_what_a_plug_in_makes_must_be_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import bitmeter as bm\nSCHEME = bm.Scheme('junk', 'junk', 'no model', lambda rest: 3)"
    plugged(tmp_path, "bitmeter_junk", code, "junk = bitmeter_junk:SCHEME")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(bm.errors.ModelError, match="made 3 of 'junk:x', which is not a model: it needs name, units"):
        bm.load("junk:x")


# ---- names -----------------------------------------------------------------------------------------------------------


def test_a_model_loads_as_itself() -> None:
    for model in (bm.Uniform(), bm.KrichevskyTrofimov(), bm.TableModel(bm.Distribution({"a": 1.0})), bm.load("zlib")):
        assert bm.load(model) is model
    assert bm.load(bm.Distribution({"a": 1.0})).units.name == "chars"


@pytest.mark.parametrize("spec", ["uniform", "uniform:256", "uniform:7", "kt", "zlib:3", "zstd:19"])
def test_a_loaded_name_is_the_same_model(spec: str) -> None:
    model = bm.load(spec)
    assert bm.load(model.name).fingerprint == model.fingerprint


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (":", "is no scheme; known are .*kt, .*uniform"),
        ("nonsense:x", "'nonsense' is no scheme; known are .*kt, .*uniform"),
        ("nonsense", "a model of Hugging Face is named hf:nonsense"),
        ("gpt2", "a model of Hugging Face is named hf:gpt2"),
        ("", "hf:"),
        (" kt", "did you mean kt"),
        ("KT", "did you mean kt"),
        ("uniform/256", "did you mean uniform"),
        ("ngrm:model.bmn", "did you mean ngram:model.bmn"),
        ("oepnai:http://me:word@host/", "did you mean openai:http://…@host/"),
        (__file__, "there is such a file, but it is none of a model"),
    ],
)
def test_an_unknown_name_is_answered_with_what_may_be_meant(spec: str, said: str) -> None:
    with pytest.raises(bm.errors.ModelError, match=rf"there is no model .*{said}.*`bitmeter models` lists the models"):
        bm.load(spec)


@pytest.mark.parametrize("spec", [None, 3, b"kt", object(), {"a": 1.0}])
def test_what_is_no_model_is_refused(spec: object) -> None:
    with pytest.raises(bm.errors.InputTypeError, match="is not a model; give a name such as"):
        bm.load(spec)


def test_schemes_describe_themselves() -> None:
    for name, scheme in own_schemes().items():
        assert isinstance(scheme, Scheme)
        assert scheme.name == name
        assert scheme.usage.startswith(name)
        assert len(scheme.summary) > 5


class Bad:
    """A model whose log-probabilities are wrong."""

    name, fingerprint = "bad", "bad-1"

    def __init__(self, logs: object) -> None:
        self.units, self._logs = bm.Uniform().units, logs

    def logprobs(self, ids: object, bounds: object) -> object:
        return self._logs


@pytest.mark.parametrize(
    ("logs", "message"),
    [
        (np.array([0.1, -1.0]), "a probability above 1"),
        (np.array([-1.0, np.nan]), "NaN"),
        (np.array([-1.0]), r"gave \(1,\) log-probabilities for 2 units"),
        (None, "gave NoneType log-probabilities for 2 units"),
    ],
)
def test_a_model_that_is_wrong_is_caught_at_its_first_unit(logs: object, message: str) -> None:
    with pytest.raises(bm.errors.ModelError, match=message):
        bm.score(Bad(logs), b"ab")


def test_the_array_of_a_model_is_never_written_to() -> None:
    logs = np.array([-1.0, -np.inf])
    logs.flags.writeable = False
    assert bm.score(Bad(logs), b"ab", first="skip").impossible == 1
    assert logs.tolist() == [-1.0, -np.inf]
