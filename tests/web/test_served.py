"""Which models a client may name."""

from __future__ import annotations

from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError, ModelError
from bitmeter.web.served import Models
from tests.web.serving import client_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a model, a link to one outside of it, and other things."""
    inside, outside = tmp_path / "models", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    model = bm.NGram(2).fit(b"to be or not to be\n")
    model.save(inside / "two.bmn")
    model.save(outside / "secret.bmn")
    (inside / "link.bmn").symlink_to(outside / "secret.bmn")
    (inside / "notes.txt").write_text("no model")
    (inside / ".hidden.bmn").write_bytes((inside / "two.bmn").read_bytes())
    (inside / "broken.bmn").write_bytes(b"no model at all")
    return inside


def test_a_folder_offers_its_own_models_alone(folder: Path) -> None:
    models = Models(folder=folder)
    found = [one.id for one in models.all() if one.origin == "folder"]
    assert found == ["broken.bmn", "two.bmn"]
    assert models.get("two.bmn").model().name.endswith("two.bmn")
    with pytest.raises(BitmeterError):
        models.get("broken.bmn").model()


STRANGE = (
    "../outside/secret.bmn", "/etc/passwd", "link.bmn", "notes.txt", ".hidden.bmn", "./two.bmn", "two.bmn/../two.bmn",
    "hf:gpt2", "http://127.0.0.1/x.bmn", "endpoint:http://127.0.0.1:1/v1", "universal:/etc/passwd", "zstd:19",
    "ngram:two.bmn", "mixture:x", "gguf:x", "", "two.bmn\0",
)  # fmt: skip


def test_no_path_and_no_scheme_comes_from_a_client(folder: Path) -> None:
    """A name is looked up, never opened: nothing runs code, reads a file or reaches the network."""
    models = Models(folder=folder)
    client = client_of(models)
    for name in STRANGE:
        for path, body in (
            ("/api/live", {"models": [name], "text": "a"}),
            ("/api/score", {"model": name, "text": "a"}),
            ("/api/predict", {"model": name, "text": "a"}),
            ("/api/jobs", {"models": [name], "text": "a"}),
        ):
            assert client.post(path, json=body).status_code == 422, (path, name)
        with pytest.raises(ModelError, match="this server has no model"):
            models.get(name)


def test_a_broken_model_is_said_and_no_server_error(folder: Path) -> None:
    found = client_of(Models(folder=folder)).post("/api/score", json={"model": "broken.bmn", "text": "a"})
    assert found.status_code == 422
    assert "broken.bmn" in found.json()["detail"]


def test_models_that_were_typed_are_first_and_loaded(folder: Path) -> None:
    models = Models(["zstd:19", str(folder / "two.bmn"), "kt"])
    assert [one.id for one in models.all()][:3] == ["zstd:19", "two.bmn", "kt"]
    assert [one.id for one in models.all()].count("kt") == 1
    with pytest.raises(BitmeterError):
        Models(["no-such-model"])
    with pytest.raises(ModelError, match="two models are called"):
        Models([str(folder / "two.bmn"), f"{folder}/./../models/two.bmn"])
    with pytest.raises(ModelError, match="not a folder"):
        Models(folder=folder / "two.bmn")


def test_a_folder_is_looked_into_again(folder: Path) -> None:
    models = Models(folder=folder)
    before = models.get("two.bmn")
    (folder / "three.bmn").write_bytes((folder / "two.bmn").read_bytes())
    (folder / "broken.bmn").unlink()
    models.refresh()
    assert [one.id for one in models.all() if one.origin == "folder"] == ["two.bmn", "three.bmn"]
    assert models.get("two.bmn") is before


def test_a_file_that_became_a_link_is_not_loaded(folder: Path) -> None:
    models = Models(folder=folder)
    one = models.get("two.bmn")
    (folder / "two.bmn").unlink()
    (folder / "two.bmn").symlink_to(folder.parent / "outside" / "secret.bmn")
    with pytest.raises(ModelError, match="no longer"):
        one.model()


def test_a_model_that_was_trained_again_is_loaded_again(tmp_path: Path) -> None:
    """The old one would give the figures of a file that is no longer there."""
    bm.NGram(order=2).fit(b"to be or not to be\n").save(tmp_path / "m.bmn")
    models = Models((), tmp_path)
    before = models.get("m.bmn").model()
    assert models.get("m.bmn").model() is before
    bm.NGram(order=3).fit(b"that is the question\n" * 3).save(tmp_path / "m.bmn", force=True)
    after = models.get("m.bmn").model()
    assert isinstance(before, bm.Model)
    assert isinstance(after, bm.Model)
    assert after.fingerprint == bm.load(tmp_path / "m.bmn").fingerprint != before.fingerprint
    (tmp_path / "m.bmn").unlink()
    with pytest.raises(ModelError, match="no model"):
        models.get("m.bmn")


def test_messages_to_clients_hold_no_folder(tmp_path: Path) -> None:
    (tmp_path / "junk.bmn").write_bytes(b"junk")
    with pytest.raises(ModelError) as error:
        Models((), tmp_path).get("junk.bmn").model()
    assert str(tmp_path) not in str(error.value)
    assert "junk.bmn" in str(error.value)


def test_what_is_no_model_is_listed_as_unreadable(tmp_path: Path) -> None:
    model = bm.NGram(2).fit(b"to be or not to be\n" * 3)
    model.save(tmp_path / "a.bmn")
    model.save(tmp_path / "b.arpa")
    bm.Universal("small").with_prime(b"to be").save(tmp_path / "c.bmu")
    bm.MixtureModel(["kt", "uniform"]).save(tmp_path / "d.bmx")
    for name in ("e.bmn", "f.arpa", "g.bmu", "h.bmx"):
        (tmp_path / name).write_bytes(b"junk")
    (tmp_path / "i.bmn").touch()
    models = Models(folder=tmp_path)
    faults = {one.id: one.fault for one in models.all() if one.origin == "folder"}
    assert [name for name, fault in faults.items() if not fault] == ["a.bmn", "b.arpa", "c.bmu", "d.bmx"]
    assert faults["e.bmn"] == "it does not begin as a .bmn file does"
    assert faults["i.bmn"] == "it is empty"
    client = client_of(models)
    states = {row["usage"]: row["state"] for row in client.get("/api/models").json()["rows"]}
    assert states["a.bmn"] == states["kt"] == "ready"
    assert states["i.bmn"] == "unreadable: it is empty"
    page = {one["id"]: one["fault"] for one in client.get("/api/page").json()["models"]}
    assert page["g.bmu"] == faults["g.bmu"] != ""
    assert page["kt"] == ""


def test_an_id_is_escaped_once(tmp_path: Path) -> None:
    model = bm.NGram(2).fit(b"to be or not to be\n")
    model.save(tmp_path / "plain.bmn")
    (tmp_path / "plain.bmn").rename(tmp_path / "two\nlines.bmn")
    client = client_of(Models(folder=tmp_path))
    name = next(one["id"] for one in client.get("/api/page").json()["models"] if one["origin"] == "folder")
    assert name == r"two\nlines.bmn"
    found = client.post("/api/live", json={"models": [name], "text": "to be"}).json()
    assert found["runs"][0]["name"] == name
    absent = client.post("/api/live", json={"models": [f"no {name}"], "text": "to be"}).json()["detail"]
    assert r"'no two\nlines.bmn'" in absent
