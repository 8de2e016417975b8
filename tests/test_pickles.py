"""Models, corpora and results survive pickle, cloudpickle, deepcopy and other processes."""

from __future__ import annotations

import copy
import inspect
import multiprocessing
import pickle
import sys
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import cloudpickle
import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError, ModelError, SourceError
from tests import pickles
from tests.pickles import ALL, LIGHT, NETWORKS, OTHERS, TEXT, UNITS, figures

#: Classes whose objects are work under way in one process, or the functions of a model: the model is what travels.
WORK = {"HistoryStepper", "NGramState", "Outcomes", "ProgressBar"}
#: A class whose objects need a server: test_an_endpoint_travels_without_its_key has one.
APART = {"Endpoint"}
CLASSES = [name for name in bm.__all__ if isinstance(getattr(bm, name), type)]


@pytest.mark.parametrize("name", CLASSES)
def test_every_public_class_is_covered(name: str) -> None:
    """A new public class needs an object in tests/pickles.py, unless it is abstract."""
    kind = getattr(bm, name)
    if inspect.isabstract(kind) or Protocol in kind.__mro__ or name in WORK | APART:
        assert name not in OTHERS
        return
    made = OTHERS[name]() if name in OTHERS else next((m for m in map(_made, ALL) if isinstance(m, kind)), None)
    assert isinstance(made, kind) or made is kind, f"{name} is in no test of pickling; add one to tests/pickles.py"


def _made(name: str) -> Any:
    return None if name in OTHERS else ALL[name]()


@pytest.mark.parametrize("name", ALL)
def test_copies_are_equal(name: str) -> None:
    made = ALL[name]()
    expected = figures(made)
    for protocol in (2, pickle.HIGHEST_PROTOCOL):
        assert figures(pickle.loads(pickle.dumps(made, protocol))) == expected
    assert figures(cloudpickle.loads(cloudpickle.dumps(made))) == expected
    assert figures(copy.deepcopy(made)) == expected
    assert figures(copy.copy(made)) == expected


@pytest.mark.parametrize("name", UNITS)
def test_units(name: str) -> None:
    made = bm.units_of(name)
    assert figures(pickle.loads(pickle.dumps(made))) == figures(copy.deepcopy(made)) == figures(made)


def test_an_endpoint_travels_without_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.models.serving import serving

    monkeypatch.setenv("MY_KEY", "s3cretW0rd")
    with serving("vllm") as server:
        made = bm.Endpoint(server.url, "tiny", tokenizer=pickles.TINY, key="MY_KEY", retries=0)
        asked = len(server.bodies)
        data = cloudpickle.dumps(made)
        assert b"s3cretW0rd" not in data
        again = pickle.loads(data)
        assert len(server.bodies) == asked  # nothing is asked before a text is scored
        assert figures(again) == figures(made) == figures(copy.deepcopy(made))
        assert {headers["authorization"] for headers in server.headers} == {"Bearer s3cretW0rd"}


@pytest.mark.parametrize(("name", "file"), [("n-gram, saved", "n.bmn"), ("universal, saved", "u.bmu")])
def test_a_file_that_changed_since_is_an_error(name: str, file: str) -> None:
    data = pickle.dumps(ALL[name]())
    path = pickles.HERE / file
    kept = path.read_bytes()
    other: Any = bm.load("universal:small").with_prime(b"else") if file == "u.bmu" else pickles.ngram(2)
    other.save(path, force=True)
    with pytest.raises(ModelError, match="another model than the one that was pickled"):
        pickle.loads(data)
    path.unlink()
    with pytest.raises(BitmeterError):
        pickle.loads(data)
    path.write_bytes(kept)
    assert pickle.loads(data).path == str(path)


def test_a_corpus_that_changed_since_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"one text")
    corpus = bm.Corpus(tmp_path / "t")
    corpus.fingerprint()
    again = pickle.loads(pickle.dumps(corpus))
    (tmp_path / "t").write_bytes(b"some other")
    with pytest.raises(SourceError):
        list(again.blocks())


def test_a_stream_stays_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"one text")
    with (tmp_path / "t").open("rb") as stream, pytest.raises(SourceError, match="save it to a file"):
        pickle.dumps(bm.Corpus(stream))


def test_hf_is_the_model_that_was_pickled(tmp_path: Path) -> None:
    """Trust is what was typed: a folder that needs it is not trusted by a pickle of one that did not."""
    import shutil

    import torch
    from safetensors.torch import load_file, save_file

    shutil.copytree(pickles.TINY, tmp_path / "m")
    data = pickle.dumps(bm.HuggingFace(tmp_path / "m"))
    weights = load_file(tmp_path / "m" / "model.safetensors")
    (tmp_path / "m" / "model.safetensors").unlink()
    torch.save(weights, tmp_path / "m" / "pytorch_model.bin")
    with pytest.raises(ModelError, match="trust=yes"):
        pickle.loads(data)
    (tmp_path / "m" / "pytorch_model.bin").unlink()
    changed = {name: weight + 1.0 for name, weight in weights.items()}
    save_file(changed, tmp_path / "m" / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match="another model than the one that was pickled"):
        pickle.loads(data)


# ---- processes and threads -------------------------------------------------------------------------------------------

#: What a forked child finds as it was in its parent.
_MADE: dict[str, Any] = {}
_WAYS = ["threads", "spawn", *(["fork"] if "fork" in multiprocessing.get_all_start_methods() else [])]


def _inherited(name: str) -> Any:
    return figures(_MADE[name])


def _close(found: Any, expected: Any) -> bool:
    """Names, fingerprints and signatures are equal; the sum of a network depends on its number of threads."""
    return all(
        a == (pytest.approx(b, rel=1e-6) if isinstance(b, float) else b) for a, b in zip(found, expected, strict=True)
    )


# From Python 3.12 on, a fork of a process with threads warns: that it works all the same is what is tested.
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("way", _WAYS)
@pytest.mark.parametrize("kinds", ["light", "networks"])
def test_all_processes_and_threads_find_the_same(way: str, kinds: str) -> None:
    """Eight at once; of spawned ones that import torch two, which takes seconds for each."""
    makers = LIGHT if kinds == "light" else NETWORKS
    number = 2 if (way, kinds) == ("spawn", "networks") else 8
    _MADE.update({name: make() for name, make in makers.items()})
    expected = {name: figures(_MADE[name]) for name in makers}
    pool: Executor
    if way == "threads":
        pool = ThreadPoolExecutor(number)
    else:
        pool = ProcessPoolExecutor(number, mp_context=multiprocessing.get_context(way))
    with pool:
        if way == "spawn":
            cloudpickle.register_pickle_by_value(sys.modules[pickles.__name__])
            sent = {name: cloudpickle.dumps([pickles.Asked(_MADE[name])]) for name in makers}
            futures = {name: [pool.submit(pickle.loads, sent[name]) for _ in range(number)] for name in makers}
            found = {name: [future.result(timeout=240)[0] for future in futures[name]] for name in makers}
        else:
            futures = {name: [pool.submit(_inherited, name) for _ in range(number)] for name in makers}
            found = {name: [future.result(timeout=240) for future in futures[name]] for name in makers}
    for name in makers:
        same = [one == expected[name] if kinds == "light" else _close(one, expected[name]) for one in found[name]]
        assert all(same), name


@pytest.mark.skipif("fork" not in _WAYS, reason="this system cannot fork")
def test_a_forked_process_has_its_own_connections() -> None:
    """A connection that parent and child share would give the answers of one to the other."""
    from tests.models.serving import serving

    with serving("vllm") as server:
        made = bm.Endpoint(server.url, "tiny", tokenizer=pickles.TINY, retries=0, concurrency=2)
        expected = bm.score(made, TEXT, docs="line").nats
        _MADE["endpoint"] = made
        with ProcessPoolExecutor(4, mp_context=multiprocessing.get_context("fork")) as pool:
            found = [
                future.result(timeout=120)[3] for future in [pool.submit(_inherited, "endpoint") for _ in range(8)]
            ]
    assert found == [expected] * 8
