"""Files of mixtures."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import bitmeter as bm
from bitmeter import errors
from tests.models.mixture.made import BYTES, HELDOUT, ONE, TWO


def test_a_mixture_is_saved_and_loaded(tmp_path: Path) -> None:
    ONE.save(tmp_path / "one.bmn")
    TWO.save(tmp_path / "two.bmn")
    specs = [str(tmp_path / "one.bmn"), str(tmp_path / "two.bmn"), "cache:size=40,order=2,decay=0.99"]
    mixture = bm.MixtureModel(specs, buckets=True).fit(HELDOUT)
    mixture.save(tmp_path / "mix.bmx")
    again = bm.load(str(tmp_path / "mix.bmx"))
    assert again.fingerprint == mixture.fingerprint
    assert bm.score(again, HELDOUT).nats == bm.score(mixture, HELDOUT).nats
    with pytest.raises(errors.FileFormatError, match="force"):
        mixture.save(tmp_path / "mix.bmx")
    bm.NGram(order=2).fit(b"else\n").save(tmp_path / "two.bmn", force=True)
    with pytest.raises(errors.FileFormatError, match="another model"):
        bm.load(str(tmp_path / "mix.bmx"))


def test_a_gate_is_saved_and_loaded_and_checked(tmp_path: Path) -> None:
    ONE.save(tmp_path / "one.bmn")
    path = tmp_path / "mix.bmx"
    mixture = bm.MixtureModel([str(tmp_path / "one.bmn"), bm.Cache(40, order=2)], gate=True).fit(HELDOUT)
    mixture.save(path)
    again = bm.load(str(path))
    assert again.fingerprint == mixture.fingerprint
    assert bm.score(again, HELDOUT).nats == bm.score(mixture, HELDOUT).nats
    sound = json.loads(path.read_text())
    assert sound["schema"] == "bitmeter.mixture/3"
    base, first, *rest = sound["gate"]
    fewer = [row[1:] for row in first]
    wrong: list[Any] = [[], [base, first[1:], *rest], [base, first], [base, fewer, *rest], 3, [[3]]]
    wrong += [[[row], first, *rest] for row in ([0.0, float("nan")], [0.0, 1e9], ["a", 0.0])]
    for gate in wrong:
        path.write_text(json.dumps(sound | {"gate": gate}))
        with pytest.raises(errors.FileFormatError, match="not a sound mixture"):
            bm.load(str(path))
    with pytest.raises(errors.ModelError, match="take one"):
        bm.MixtureModel([ONE], gate=True, buckets=True)


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b'{"schema": "x"}', b'{"schema": "bitmeter.mixture/1"}',
    b'{"schema":"bitmeter.mixture/1","components":[{"model":"kt","fingerprint":"x"}],"weights":["a"],"rows":null,'
    b'"buckets":false}',
    b'{"schema":"bitmeter.mixture/1","components":[{"model":"kt","fingerprint":"x"}],"weights":[2],"rows":null,'
    b'"buckets":false}'])  # fmt: skip
def test_damaged_mixtures_are_errors(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "bad.bmx").write_bytes(content)
    with pytest.raises(errors.BitmeterError):
        bm.MixtureModel.load(tmp_path / "bad.bmx")


def write(path: Path, *components: dict[str, Any], schema: str = "bitmeter.mixture/2", **other: Any) -> Path:
    """A file as a stranger writes it."""
    weights = [1.0 / len(components)] * len(components)
    content = {"schema": schema, "components": components, "weights": weights, "buckets": False, "rows": None}
    path.write_text(json.dumps(content | other))
    return path


@pytest.mark.parametrize("value", [None, 1, 0, "true", [], {}, 1e308])
def test_a_flag_that_is_none_is_an_error(value: Any, tmp_path: Path) -> None:
    # Anything but true was taken for false.
    path = write(tmp_path / "x.bmx", {"model": "kt", "fingerprint": "kt-order0-bytes-1"}, buckets=value)
    with pytest.raises(errors.FileFormatError, match="neither true nor false"):
        bm.load(path)


KT = {"model": "kt", "fingerprint": "kt-order0-bytes-1"}
SCHEMAS = ("bitmeter.mixture/1", "bitmeter.mixture/2")


@pytest.fixture
def touched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What any loader of a scheme was asked for; nothing is loaded."""
    from bitmeter.models import registry

    asked: list[str] = []
    known = registry.own_schemes()

    def spied() -> dict[str, bm.Scheme]:
        def spy(name: str) -> Any:
            return lambda rest: asked.append(f"{name}:{rest}")

        idle = ("kt", "uniform", "universal")
        return {name: known[name] if name in idle else bm.Scheme(name, "", "", spy(name)) for name in known}

    monkeypatch.setattr(registry, "own_schemes", spied)
    return asked


@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize(
    "named",
    ["hf:./folder,trust=yes", "hf:gpt2", "openai:http://127.0.0.1:9/v1#m,key=HOME", "gguf:x.gguf", "neural:/x",
     "ngram:../a.bmn", "mixture:b.bmx", "universal:../x.bmu", "universal:x.bmu", "toy:thing", "/a.bmn", "zlib",
     "a.bmn"],
)  # fmt: skip
def test_a_file_names_no_model_that_is_not_made_from_its_name(
    named: str, schema: str, tmp_path: Path, touched: list[str]
) -> None:
    ONE.save(tmp_path / "a.bmn")
    path = write(tmp_path / "m.bmx", KT, {"model": named, "fingerprint": "x"}, schema=schema)
    with pytest.raises(errors.ModelError, match=r"has to be given: type --with MODEL"):
        bm.load(path)
    with pytest.raises(errors.ModelError, match=r"has to be given"):
        bm.load(path, components=["uniform"])
    assert touched == []


@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize("named", ["../out.bmn", "{outside}", "link.bmn", "up/out.bmn", "net", "sub/../../out.bmn"])
def test_a_file_names_no_file_outside_its_folder(named: str, schema: str, tmp_path: Path) -> None:
    here = tmp_path / "here"
    (here / "sub").mkdir(parents=True)
    ONE.save(tmp_path / "out.bmn")
    (here / "link.bmn").symlink_to(tmp_path / "out.bmn")
    (here / "up").symlink_to(tmp_path)
    (here / "net").mkdir()
    (here / "net" / "model.json").symlink_to(tmp_path / "out.bmn")
    file = named.format(outside=tmp_path / "out.bmn")
    mark = bm.load(tmp_path / "out.bmn").with_oov("class").fingerprint
    path = write(here / "m.bmx", {"file": file, "fingerprint": mark}, schema=schema)
    with pytest.raises(errors.ModelError, match="A file may load models of its own folder only"):
        bm.load(path)
    assert bm.load(path, components=[tmp_path / "out.bmn"]).weights == (1.0,)  # an old file can still be used


@pytest.mark.parametrize("schema", SCHEMAS)
def test_the_name_of_a_file_is_not_a_scheme(
    schema: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, touched: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("hf:evil,trust=yes", "openai:http:x#m", "neural:x", "zlib"):
        with pytest.raises(errors.BitmeterError):
            bm.load(write(Path("m.bmx"), {"file": name, "fingerprint": "x"}, schema=schema))
    assert touched == []
    ONE.save("hf:evil.bmn")  # a sound model with such a name is one
    mark = bm.load(Path("hf:evil.bmn")).with_oov("class").fingerprint
    assert bm.load(write(Path("m.bmx"), {"file": "hf:evil.bmn", "fingerprint": mark}, schema=schema)).weights == (1.0,)
    assert touched == []


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_mixture_does_not_load_itself(schema: str, tmp_path: Path) -> None:
    path = write(tmp_path / "m.bmx", {"file": "m.bmx", "fingerprint": "x"}, schema=schema)
    with pytest.raises(errors.ModelError, match="is not an n-gram model"):
        bm.load(path)


def test_a_label_is_never_interpreted(tmp_path: Path, touched: list[str]) -> None:
    path = write(tmp_path / "m.bmx", {"label": "hf:./x,trust=yes", "fingerprint": "kt-order0-bytes-1", "units": "u"})
    with pytest.raises(errors.ModelError, match="has to be given"):
        bm.load(path)
    with pytest.raises(errors.ModelError, match="has to be given"):  # the same weights with other units are another
        bm.load(path, components=["kt"])
    units = bm.load("kt").units.fingerprint
    path = write(tmp_path / "m.bmx", {"label": "hf:./x,trust=yes", "fingerprint": "kt-order0-bytes-1", "units": units})
    assert bm.load(path, components=["kt"]).components[0].name == "kt"
    assert touched == []


@pytest.mark.parametrize(
    "entry",
    [3, None, [], {}, {"model": "kt"}, {"fingerprint": 3, "model": "kt"}, {"fingerprint": "x", "model": 3},
     {"fingerprint": "x", "file": ["a"]}, {"fingerprint": "x", "label": "l", "units": 3},
     {"fingerprint": "x", "file": "\0"}, {"fingerprint": "x", "file": "\ud800"},
     {"fingerprint": "x", "file": "a" * 5000}, {"fingerprint": "x", "file": "."},
     {"fingerprint": "x", "model": "cache:size=x"}, {"fingerprint": "x", "model": "universal:huge"},
     {"fingerprint": "x", "model": "uniform:99999999999999999999"}],
)  # fmt: skip
def test_unsound_components_are_typed_errors(entry: Any, tmp_path: Path) -> None:
    for schema in SCHEMAS:
        with pytest.raises(errors.BitmeterError):
            bm.load(write(tmp_path / "m.bmx", entry, schema=schema))


@pytest.mark.parametrize(
    "other",
    [{"weights": [10**400]}, {"weights": "1"}, {"weights": [None]}, {"weights": []}, {"rows": {"0": [1e400]}},
     {"rows": {"x": [1.0]}}, {"rows": {"7": [1.0]}}, {"rows": [1]}, {"components": "kt"}, {"components": None}],
)  # fmt: skip
def test_unsound_fields_are_typed_errors(other: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(errors.BitmeterError):
        bm.load(write(tmp_path / "m.bmx", KT, **other))


def test_a_file_of_the_first_version_is_read(tmp_path: Path) -> None:
    """As 0.1 wrote it: a model beside, a model by name and a cache."""
    BYTES.save(tmp_path / "a.bmn")
    cache = bm.Cache(20).name
    mark = bm.load(tmp_path / "a.bmn").fingerprint
    path = write(
        tmp_path / "m.bmx", {"file": "a.bmn", "fingerprint": mark}, KT, {"model": cache, "fingerprint": cache},
        schema="bitmeter.mixture/1",
    )  # fmt: skip
    expected = bm.MixtureModel([BYTES, "kt", bm.Cache(20)])
    assert bm.score(path, HELDOUT).nats == bm.score(expected, HELDOUT).nats


def test_a_folder_can_be_moved(tmp_path: Path) -> None:
    (tmp_path / "a" / "sub").mkdir(parents=True)
    ONE.save(tmp_path / "a" / "sub" / "one.bmn")
    made = bm.MixtureModel([tmp_path / "a" / "sub" / "one.bmn", bm.Cache(9)]).fit(HELDOUT)
    assert made.save(tmp_path / "a" / "mix.bmx") == ()
    shutil.move(tmp_path / "a", tmp_path / "b")
    assert bm.load(tmp_path / "b" / "mix.bmx").fingerprint == made.fingerprint
    assert json.loads((tmp_path / "b" / "mix.bmx").read_bytes())["components"][0]["file"] == "sub/one.bmn"
    assert os.sep not in json.loads((tmp_path / "b" / "mix.bmx").read_bytes())["components"][1]["model"]
